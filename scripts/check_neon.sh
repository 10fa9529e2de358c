#!/usr/bin/env bash
# Checks that the rooms with instruction-set code compile for aarch64, as NEON: check_neon.sh <compiler flags>
# Only the front end runs, which is where a missing intrinsic or a warning shows.
set -euo pipefail
cd "$(dirname "$0")/.."

compiler=aarch64-linux-gnu-g++-12
if ! command -v "$compiler" >/dev/null; then
  echo "check_neon: $compiler not found; \`make deps\` installs it" >&2
  exit 1
fi
rooms=()
for room in src/kernels src/models; do [ ! -d "$room" ] || rooms+=("$room"); done
[ "${#rooms[@]}" -gt 0 ] || { echo "check_neon: no room with instruction-set code"; exit 0; }

# -idirafter: header-only packages of this machine, behind the target's own headers.
find "${rooms[@]}" -name '*.cpp' -print0 |
  xargs -0 -r -n 1 -P 2 "$compiler" -std=c++20 -fsyntax-only -Isrc -idirafter /usr/include \
    -DSCHEMAMEM_ISA=isa_neon -DSCHEMAMEM_HAS_neon=1 "$@"
