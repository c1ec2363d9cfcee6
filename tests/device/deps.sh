#!/usr/bin/env bash
# Puts the headers and CMake files that the gpu-server preset needs into a folder, so that they can travel to a machine
# that installs nothing. Needs Debian's packages' client.
# usage: tests/device/deps.sh [FOLDER]
set -euo pipefail
to=$(realpath -m -- "${1:-.deps}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get download -q libfmt-dev libfmt9 nlohmann-json3-dev libcli11-dev libgtest-dev >&2
mkdir -p "$to"
for package in *.deb; do dpkg -x "$package" unpacked; done
cp -a unpacked/usr/. "$to"
