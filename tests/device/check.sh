#!/usr/bin/env bash
# On a machine with an NVIDIA GPU: builds the gpu-server preset (no Qt, no LLVM), runs the verification set on the GPU, times
# separate launches against replay at 10, 100 and 1,000 nodes, asks the driver for the answers that tests/data/cuda holds, and
# writes one JSON report.
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
      bench=$("$bin" bench "$work/chain.cut" --device "$device" --mode compiled --repeat 50 --set passes.off=fuse,simplify,cse --set capture="$capture" --json)
      printf '%s{"nodes": %d, "capture": "%s", "bench": %s}' "$comma" "$nodes" "$capture" "$bench"
      comma=', '
    done
  done
  printf '], "answers": '
  answers
  printf '}\n'
} >"$out"
exit "$code"
