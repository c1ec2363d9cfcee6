#!/usr/bin/env bash
# On a machine with an NVIDIA GPU: builds the gpu-server preset (no Qt, no LLVM), runs the verification set on the GPU, times
# separate launches against replay at 10, 100 and 1,000 nodes, and writes one JSON report.
# usage: tests/device/check.sh [OUT.json]
#   CUTAWAY_DEVICE  the device, cuda where not set; sim:h100 tries the script where there is no GPU
#   CUTAWAY_BIN     a cutaway that is built already
#   CUTAWAY_DEPS    a folder with fmt, nlohmann_json and CLI11 (tests/device/deps.sh makes it); .deps where not set
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
  cmake --preset gpu-server -DCMAKE_PREFIX_PATH="$deps" >"$work/configure.log" || { cat "$work/configure.log" >&2; exit 2; }
  cmake --build --preset gpu-server --target cutaway >"$work/build.log" || { tail -n 40 "$work/build.log" >&2; exit 2; }
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
  printf ']}\n'
} >"$out"
exit "$code"
