#!/usr/bin/env bash
# On a machine with an NVIDIA GPU: builds the gpu-server preset (no Qt, no LLVM), runs the verification set on the GPU, times
# separate launches against replay at 10, 100 and 1,000 nodes, one stream against several, our products against cuBLASLt's and,
# where Python has PyTorch, our kernels against its own (cuDNN among them) and its compiler's; asks the driver for the answers
# that tests/data/cuda holds, and writes one JSON report.
# usage: tests/device/check.sh [OUT.json]
#   CUTAWAY_DEVICE  the device, cuda where not set; sim:h100 tries the script where there is no GPU
#   CUTAWAY_BIN     a cutaway that is built already, test_backend beside it
#   CUTAWAY_DEPS    a folder with fmt, nlohmann_json, CLI11 and GoogleTest (tests/device/deps.sh makes it); .deps where not set
#   CUTAWAY_DATA    the folder with the trained models, for more to verify
# Exit code 0: all agree; 1: some do not, see the report.
set -euo pipefail
script=$(realpath -- "$0")
out=$(realpath -m -- "${1:-device-report.json}")
cd "$(dirname "$script")/../.."
device=${CUTAWAY_DEVICE:-cuda}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

bin=${CUTAWAY_BIN:-build/gpu-server/bin/cutaway}
if [ -z "${CUTAWAY_BIN:-}" ]; then
  deps=$(realpath -m -- "${CUTAWAY_DEPS:-.deps}")
  cmake --preset gpu-server -DCUTAWAY_TESTS=ON -DCMAKE_PREFIX_PATH="$deps" >"$work/configure.log" || { cat "$work/configure.log" >&2; exit 2; }
  cmake --build --preset gpu-server --target cutaway test_backend >"$work/build.log" || { tail -n 40 "$work/build.log" >&2; exit 2; }
fi

# N negations that are not fused: launches that do next to nothing.
chain() {
  awk -v n="$1" 'BEGIN {
    print "graph \"chain\" {"
    print "  n0 %0 \"x\" = param() {index = 0, shape = shape [256], to = type f32} : f32[256]"
    for (i = 1; i <= n; ++i) printf "  n%d %%%d = neg(%%%d) : f32[256]\n", i, i, i - 1
    printf "  return %%%d \"y\"\n}\n", n
  }'
}

# N branches from one value, each of products that leave most of a device idle.
branches() {
  awk -v n="$1" 'BEGIN {
    print "graph \"branches\" {"
    print "  n0 %0 \"x\" = param() {index = 0, shape = shape [64, 256], to = type f32} : f32[64, 256]"
    print "  n1 %1 \"w\" = param() {index = 1, shape = shape [256, 256], to = type f32} : f32[256, 256]"
    id = 2
    for (b = 0; b < n; ++b) {
      from = 0
      for (i = 0; i < 6; ++i) {
        printf "  n%d %%%d = dot_general(%%%d, %%1) : f32[64, 256]\n", id, id, from
        printf "  n%d %%%d = tanh(%%%d) : f32[64, 256]\n", id + 1, id + 1, id
        from = id + 1
        id += 2
      }
      outs[b] = from
    }
    for (b = 0; b < n; ++b) printf "  return %%%d \"y%d\"\n", outs[b], b
    print "}"
  }'
}

# One product of the type: BATCH M N K.
# shellcheck disable=SC2317 # called by name
product() {
  awk -v t="$1" -v b="$2" -v m="$3" -v n="$4" -v k="$5" 'BEGIN {
    printf "graph \"product\" {\n  n0 %%0 \"a\" = param() {index = 0, shape = shape [%d, %d, %d], to = type %s} : %s[%d, %d, %d]\n", b, m, k, t, t, b, m, k
    printf "  n1 %%1 \"b\" = param() {index = 1, shape = shape [%d, %d, %d], to = type %s} : %s[%d, %d, %d]\n", b, k, n, t, t, b, k, n
    printf "  n2 %%2 = dot_general(%%0, %%1) : %s[%d, %d, %d]\n  return %%2 \"c\"\n}\n", t, b, m, n
  }'
}

# One convolution of the type, its image as large as its result: BATCH CHANNELS SIZE OUT TAPS GROUPS.
# shellcheck disable=SC2317 # called by name
convolution() {
  awk -v t="$1" -v b="$2" -v c="$3" -v s="$4" -v o="$5" -v r="$6" -v g="$7" 'BEGIN {
    printf "graph \"convolution\" {\n  n0 %%0 \"x\" = param() {index = 0, shape = shape [%d, %d, %d, %d], to = type %s} : %s[%d, %d, %d, %d]\n", b, c, s, s, t, t, b, c, s, s
    printf "  n1 %%1 \"w\" = param() {index = 1, shape = shape [%d, %d, %d, %d], to = type %s} : %s[%d, %d, %d, %d]\n", o, c / g, r, r, t, t, o, c / g, r, r
    p = int(r / 2)
    printf "  n2 %%2 = conv(%%0, %%1) {dilations = [1, 1], groups = %d, pad_high = [%d, %d], pad_low = [%d, %d], strides = [1, 1]} : %s[%d, %d, %d, %d]\n  return %%2 \"y\"\n}\n", g, p, p, p, p, t, b, o, s, s
  }'
}

# What the compiler says of the vendor's library for each of the shapes that `make` takes, as members of a JSON list. With
# libraries=auto the compile itself times both; its reasons go into the report in its own words.
beside_library() {
  local make=$1 shape reason comma=''
  shift
  for shape in "$@"; do
    # shellcheck disable=SC2086 # a type and numbers
    "$make" $shape >"$work/case.cut"
    reason=$("$bin" compile "$work/case.cut" --device "$device" --set libraries=auto --trace "$work/trace.json" >"$work/compile.log" 2>&1 && grep -o '"explanation":"[^"]*\(Measured on this device\|Not by\)[^"]*"' "$work/trace.json" | head -n 1) || reason=''
    printf '%s{"shape": "%s", %s}' "$comma" "$shape" "${reason:-"\"explanation\": null"}"
    comma=', '
  done
}

# A measured run of the model with each of the values of a setting, its dims bound by `dims`: FILE KEY VALUE...
dims=()
with_each() {
  local file=$1 key=$2 value bench
  shift 2
  for value in "$@"; do
    bench=$("$bin" bench "$file" --device "$device" --mode compiled --repeat 50 --set "$key=$value" "${dims[@]}" --json 2>"$work/bench.log") || { code=1; bench=null; }
    printf '%s{"model": "%s", "%s": "%s", "bench": %s}' "$comma" "$(basename "${file%/model.onnx}")" "$key" "$value" "$bench"
    comma=', '
  done
}

code=0
verified() { # NAME PATH OPTION...: one entry of the report
  local name=$1 path=$2
  shift 2
  "$bin" verify "$path" --device "$device" --json "$@" >"$work/$name.json" || code=1
  printf '%s"%s": %s' "$comma" "$name" "$(cat "$work/$name.json")"
  comma=', '
}

# What the driver answered, each case in a process of its own: some break the context.
answers() {
  local tests driver=Real
  tests=$(dirname "$bin")/test_backend
  if [ ! -x "$tests" ]; then printf null; return; fi
  [[ $device = sim:* ]] && driver=Simulated
  : >"$work/answers.csv"
  "$tests" --gtest_list_tests --gtest_filter="Drivers/*$driver*" | awk '/^[^ ]/ {suite = $1} /^ / {print suite $1}' >"$work/answers.txt"
  while read -r name; do
    CUTAWAY_ANSWERS="$work/answers.csv" "$tests" --gtest_filter="$name" >"$work/answers.log" </dev/null || code=1
  done <"$work/answers.txt"
  awk -F, 'BEGIN {printf "["} {printf "%s{\"case\": \"%s\", \"table\": \"%s\", \"answered\": \"%s\"}", (NR > 1 ? ", " : ""), $2, $3, $4} END {printf "]"}' "$work/answers.csv"
}

{
  printf '{"device": "%s", "doctor": "%s", ' "$device" "$("$bin" doctor | sed 's/["\\]/\\&/g' | awk '{printf "%s%s", (NR > 1 ? "; " : ""), $0}')"
  printf '"verify": {'
  comma=''
  verified cases tests/data/cases
  verified cases_strict tests/data/cases --set math=strict
  if [ -d "${CUTAWAY_DATA:-}/zoo" ]; then verified zoo "$CUTAWAY_DATA/zoo" --rtol 1e-3 --atol 1e-5 --timeout 120; fi
  printf '}, "replay": ['
  comma=''
  for nodes in 10 100 1000; do
    chain "$nodes" >"$work/chain.cut"
    for capture in off on; do
      bench=$("$bin" bench "$work/chain.cut" --device "$device" --mode compiled --repeat 50 --set passes.off=fuse,simplify,cse --set capture="$capture" --json 2>"$work/bench.log")
      printf '%s{"nodes": %d, "capture": "%s", "bench": %s}' "$comma" "$nodes" "$capture" "$bench"
      comma=', '
    done
  done
  printf '], "streams": ['
  comma=''
  for n in 2 4 8; do
    branches "$n" >"$work/branches-$n.cut"
    with_each "$work/branches-$n.cut" streams 1 4
  done
  for model in basic_pitch "ppocr_v4_det p2o.DynamicDimension.1=320 p2o.DynamicDimension.2=320" mtcnn_onet "minilm_l6_int8 sequence=32"; do
    read -r name first second <<<"$model"
    dims=(${first:+--dim "$first"} ${second:+--dim "$second"})
    if [ -f "${CUTAWAY_DATA:-}/zoo/$name/model.onnx" ]; then with_each "$CUTAWAY_DATA/zoo/$name/model.onnx" streams 1 4; fi
  done
  printf '], "products": ['
  beside_library product "f32 1 512 512 512" "f32 1 2048 2048 2048" "f32 12 128 128 64" "f16 1 512 512 512" "f16 1 4096 4096 4096" "f16 12 128 128 64" "bf16 1 1024 4096 1024" "f16 1 1 4096 4096"
  printf '], "convolutions": ['
  beside_library convolution "f32 1 64 56 64 3 1" "f32 8 256 14 256 3 1" "f32 1 96 56 96 3 96" "f32 1 64 56 256 1 1" "f16 8 64 56 64 3 1" "f16 8 256 14 256 3 1" "f16 8 256 28 512 1 1"
  printf '], "peers": '
  if [ -z "${CUTAWAY_NO_PEERS:-}" ] && python3 -c 'import torch, sys; sys.exit(not torch.cuda.is_available())' 2>"$work/torch.log"; then
    python3 tests/device/peers.py "$bin" "$device" 2>>"$work/torch.log" || { code=1; printf null; }
  else
    printf null
  fi
  printf ', "answers": '
  answers
  printf '}\n'
} >"$out"
exit "$code"
