#!/usr/bin/env bash
# Installs what is missing, builds the dev preset and runs every test.
# usage: packaging/test.sh [CTEST-OPTION...]
# CUTAWAY_DATA, where set, names the folder with the larger test data; tests that lack it are counted as not run.
set -euo pipefail

script=$(realpath -- "$0")
if [ -n "${CUTAWAY_DATA:-}" ]; then
  CUTAWAY_DATA=$(realpath -- "$CUTAWAY_DATA")
  export CUTAWAY_DATA
fi
cd "$(dirname "$script")/.."
# shellcheck source=packaging/install.sh
. packaging/install.sh

lists=(build test)
if [ -f app/explorer/CMakeLists.txt ]; then lists+=(gui); fi
cutaway_install "${lists[@]}"

cmake --preset dev
cmake --build --preset dev

code=0
results=build/dev/ctest.xml
rm -f "$results"
ctest --preset dev --parallel "$(nproc)" --output-junit "$PWD/$results" "$@" || code=$?

# "12 run, 0 failed, 3 not run" from the head of ctest's own file of results.
count() { grep -m 1 -o "[[:space:]]$1=\"[0-9]*\"" "$results" | tr -dc 0-9; }
if [ -f "$results" ]; then
  not_run=$(($(count skipped) + $(count disabled)))
  printf 'Tests: %d run, %d failed, %d not run (CUTAWAY_DATA %s)\n' \
    "$(($(count tests) - not_run))" "$(count failures)" "$not_run" "${CUTAWAY_DATA:-not set}"
fi
exit "$code"
