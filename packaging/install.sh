# shellcheck shell=bash
# Debian packages that building and testing need. Sourced by start.sh and test.sh:
#   cutaway_install NAME...   installs what is missing of the named lists; touches nothing where nothing is missing.
# Lists: build, test, gui (taken only once app/explorer has something to build).

# shellcheck disable=SC2034 # the lists are read by name
cutaway_packages_build=(
  build-essential cmake ninja-build ccache git python3
  llvm-19-dev libclang-19-dev libclang-cpp19-dev
  nlohmann-json3-dev libprotozero-dev libcli11-dev libfmt-dev libdnnl-dev graphviz
  # LLVM's own CMake files look for these.
  zlib1g-dev libzstd-dev libxml2-dev libedit-dev libcurl4-openssl-dev
)
# shellcheck disable=SC2034
cutaway_packages_test=(libgtest-dev clang-19)
# shellcheck disable=SC2034
cutaway_packages_gui=(qt6-base-dev libgif-dev xvfb xauth)

# Those of the given packages that dpkg does not know as installed, one a line.
cutaway_missing() {
  local package state
  for package in "$@"; do
    state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || state=""
    [ "$state" = installed ] || printf '%s\n' "$package"
  done
}

# apt-get as root. Without a terminal sudo must not ask for a password.
cutaway_apt() {
  local run=(env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o DPkg::Lock::Timeout=300)
  if [ "$(id -u)" -ne 0 ]; then
    if [ -t 0 ]; then run=(sudo "${run[@]}"); else run=(sudo -n "${run[@]}"); fi
  fi
  "${run[@]}" "$@" </dev/null
}

cutaway_install_failed() {
  printf 'cutaway: %s\n' "$1" >&2
  printf '  packages: %s\n  what to do: %s\n' "$2" "$3" >&2
  return 1
}

cutaway_install() {
  local list package wanted=() missing=() unknown=()
  for list in "$@"; do
    local -n packages="cutaway_packages_$list"
    wanted+=("${packages[@]}")
  done
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "cutaway: no apt-get here; taking these as present under this system's own names: ${wanted[*]}" >&2
    return 0
  fi
  mapfile -t missing < <(cutaway_missing "${wanted[@]}")
  [ "${#missing[@]}" -gt 0 ] || return 0

  echo "Installing: ${missing[*]}"
  if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
    cutaway_install_failed "packages are missing, and this user is not root and has no sudo" "${missing[*]}" \
      "as root: apt-get install ${missing[*]}"
    return 1
  fi
  cutaway_apt update || echo "cutaway: apt-get update failed; trying with the package lists that are here" >&2
  local policy
  for package in "${missing[@]}"; do
    # Not through a pipe: grep -q ends at the first match, and under pipefail the broken pipe would count as absent.
    policy=$(LC_ALL=C apt-cache policy "$package" 2>/dev/null) || policy=""
    [[ $policy =~ Candidate:\ [^\(] ]] || unknown+=("$package")
  done
  if [ "${#unknown[@]}" -gt 0 ]; then
    cutaway_install_failed "the package sources of this system do not have what is needed" "${unknown[*]}" \
      "use Debian 12 with its updates, or check the network and the entries under /etc/apt, then run again"
    return 1
  fi
  cutaway_apt install --no-install-recommends "${missing[@]}" && return 0
  # All or nothing failed: one by one names the culprit and keeps the rest.
  for package in "${missing[@]}"; do
    cutaway_apt install --no-install-recommends "$package" >/dev/null 2>&1 || true
  done
  mapfile -t missing < <(cutaway_missing "${missing[@]}")
  [ "${#missing[@]}" -gt 0 ] || return 0
  cutaway_install_failed "apt-get could not install everything" "${missing[*]}" \
    "run 'apt-get install ${missing[*]}' as root to see why (network, disk space, held packages), then run again"
}
