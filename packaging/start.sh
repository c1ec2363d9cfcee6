#!/usr/bin/env bash
# Installs what is missing, builds the release and opens a model.
# usage: packaging/start.sh [--headless] [FILE]
# FILE is an ONNX model or a .cut text; without it the bundled sample is taken. Without a display, or with --headless:
# compiles and runs the model, prints the report, and leaves reports, steps and figures in tour/.
set -euo pipefail

sample=resources/models/sample.onnx

usage() { sed -n '3,5s/^# //p' "$0"; }

headless=no
model=""
for argument in "$@"; do
  case $argument in
    --headless) headless=yes ;;
    -h | --help) usage; exit 0 ;;
    -*) echo "start.sh: unknown option $argument" >&2; usage >&2; exit 2 ;;
    *)
      if [ -n "$model" ]; then echo "start.sh: one FILE at most" >&2; exit 2; fi
      model=$(realpath -m -- "$argument")
      ;;
  esac
done
if [ -n "$model" ] && [ ! -r "$model" ]; then
  echo "start.sh: cannot read $model (give the path of an ONNX model or a .cut text)" >&2
  exit 2
fi

script=$(realpath -- "$0")
cd "$(dirname "$script")/.."
# shellcheck source=packaging/install.sh
. packaging/install.sh

lists=(build)
explorer=no
if [ -f app/explorer/CMakeLists.txt ]; then
  explorer=yes
  lists+=(gui)
fi
cutaway_install "${lists[@]}"

# The release preset has no tests, so that all its targets are the product.
mkdir -p build
if ! { cmake --preset release && cmake --build --preset release; } >build/start.log 2>&1; then
  tail -n 40 build/start.log >&2
  echo "start.sh: the build failed; the whole of it is in build/start.log" >&2
  exit 1
fi
cutaway=build/release/bin/cutaway

if [ -z "$model" ]; then
  model=$sample
  if [ ! -r "$model" ]; then
    echo "start.sh: the bundled sample $sample is not there (give a FILE)" >&2
    exit 2
  fi
fi
if [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then headless=yes; fi
if [ $headless = no ]; then exec "$cutaway" open "$model"; fi

mkdir -p tour
failed=0

# note_failure VERB CODE: the first failing verb decides the exit code.
note_failure() {
  echo "start.sh: cutaway $1 ended with exit code $2" >&2
  if [ "$failed" -eq 0 ]; then failed=$2; fi
}

# report VERB [OPTION...]: shows the verb's text, keeps it as tour/VERB.txt and its JSON as tour/VERB.json.
report() {
  local verb=$1 code=0
  shift
  printf '\n== %s\n' "$verb"
  "$cutaway" "$verb" "$model" "$@" >"tour/$verb.txt" || code=$?
  cat "tour/$verb.txt"
  if [ $code -eq 0 ]; then "$cutaway" "$verb" "$model" --json >"tour/$verb.json" || code=$?; fi
  if [ $code -ne 0 ]; then note_failure "$verb" $code; fi
}

# Timed once: what is shown is what the file says.
report_bench() {
  local code=0
  printf '\n== bench\n'
  "$cutaway" bench "$model" --mode compiled,eager --json >tour/bench.json || code=$?
  if [ $code -eq 0 ]; then python3 packaging/report.py tour/bench.json | tee tour/bench.txt || code=$?; fi
  if [ $code -ne 0 ]; then note_failure bench $code; fi
}

# figure FILE OPTION...: draws into tour/FILE.
figure() {
  local code=0 out=$1
  shift
  "$cutaway" export "$@" -o "tour/$out" 2> >(grep -v ': note: ' >&2) || code=$?
  if [ $code -ne 0 ]; then note_failure "export to $out" $code; fi
}

# Every view on screen and on paper; how fusion begins, to step through. Views of a run measure the model, the others read
# the steps that compile left.
figures() {
  local view theme steps from
  for view in graph arena layout guards tiles source timeline drift; do
    from=tour/trace.json
    if [ $view = timeline ] || [ $view = drift ]; then from=$model; fi
    for theme in light paper; do figure "$view-$theme.svg" "$from" --view $view --theme $theme; done
  done
  steps=$(python3 packaging/steps.py tour/trace.json fuse 12)
  if [ -z "$steps" ]; then return; fi
  figure fuse.html tour/trace.json --view graph --steps "$steps"
  figure fuse.gif tour/trace.json --view graph --steps "$steps"
  figure fuse.pdf tour/trace.json --view graph --steps "$steps" --theme paper
}

echo "Model: $model"
report compile --trace tour/trace.json
report_bench
report drift
if [ $explorer = yes ] && [ -r tour/trace.json ]; then figures; fi

printf '\nIn tour/:\n'
find tour -maxdepth 1 -type f -printf '  %f (%s bytes)\n' | sort
exit "$failed"
