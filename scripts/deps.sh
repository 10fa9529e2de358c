#!/usr/bin/env bash
# Installs the Debian packages of the named groups that are not there yet, such as: deps.sh build test
set -euo pipefail

packages_of() {
  case "$1" in
    build) echo g++ cmake ninja-build git libfmt-dev libcli11-dev libtomlplusplus-dev nlohmann-json3-dev libedit-dev ;;
    unit) echo libgtest-dev libgmock-dev librapidcheck-dev ;;
    bench) echo libbenchmark-dev ;;
    # clang compiles everything a second time, with sanitizers; llvm gives its reports names and lines; binutils has nm.
    test) echo clang-14 libclang-rt-14-dev llvm-14 binutils pkg-config util-linux "$(packages_of unit)" \
               "$(packages_of bench)" "$(packages_of format)" "$(packages_of figures)" "$(packages_of search)" ;;
    # draws the figures of `schemamem paper`
    figures) echo gnuplot-nox ;;
    # makes a table of the search
    search) echo python3 ;;
    format) echo clang-format-14 ;;
    tidy) echo clang-14 clang-tidy-14 clang-format-14 python3 ;;
    docs) echo doxygen ;;
    # the pages of docs/ and the reference beside them
    site) echo "$(packages_of docs)" python3 python3-venv ;;
    wheel) echo g++ cmake ninja-build git python3 python3-dev python3-venv libfmt-dev libtomlplusplus-dev nlohmann-json3-dev ;;
    deb) echo dpkg-dev file fakeroot ;;
    # pages are tested in a real browser, the NEON kernels on an emulated processor, sweeps with a real scheduler
    extras) echo python3 python3-dev python3-venv chromium "$(packages_of neon)" "$(packages_of container)" "$(packages_of slurm)" \
                 "$(packages_of mpi)" ;;
    mpi) echo libopenmpi-dev openmpi-bin ;;
    slurm) echo slurm-wlm munge util-linux ;;
    # a bare Debian in a folder, for the container recipes' steps
    container) echo debootstrap util-linux "$(packages_of deb)" ;;
    neon) echo g++ cmake ninja-build git g++-12-aarch64-linux-gnu qemu-user googletest libfmt-dev libtomlplusplus-dev nlohmann-json3-dev ;;
    *) echo "deps: unknown group '$1'; the groups are build, unit, bench, test, figures, search, format, tidy, docs, site, wheel, deb, container, slurm, mpi, neon, extras" >&2; exit 64 ;;
  esac
}

wanted=()
for group in "$@"; do
  list=$(packages_of "$group")
  read -ra names <<<"$list"
  wanted+=("${names[@]}")
done

if [ -n "${SKIP_DEPS:-}" ]; then
  echo "deps: SKIP_DEPS is set, nothing installed; needed are: ${wanted[*]}" >&2
  exit 0
fi
if ! command -v dpkg-query >/dev/null; then
  echo "deps: this is not a Debian system (no dpkg-query). Install the counterparts of these packages with your own" >&2
  echo "package manager, then run make again with SKIP_DEPS=1: ${wanted[*]}" >&2
  exit 1
fi

missing=()
for package in "${wanted[@]}"; do
  # shellcheck disable=SC2016  # the ${} is dpkg-query's
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ "${#missing[@]}" -gt 0 ] || exit 0

install="apt-get install -y --no-install-recommends ${missing[*]}"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "deps: missing Debian packages, and installing them needs root (this is user $(id -un), and there is no sudo)." >&2
    echo "As root, run:  apt-get update && $install" >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "deps: installing ${missing[*]}${as_root:+ (with sudo)}" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
run_quietly() {  # shows the output only when the command fails
  "$@" </dev/null >"$log" 2>&1 && return
  cat "$log" >&2
  echo "deps: failed: $*" >&2
  return 1
}
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300)
run_quietly "${apt[@]}" update
run_quietly "${apt[@]}" install -y --no-install-recommends "${missing[@]}"
