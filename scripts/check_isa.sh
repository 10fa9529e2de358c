#!/usr/bin/env bash
# Checks that the rooms with instruction-set code compile for one instruction set:
#   check_isa.sh <isa> <files, as a pattern> <compiler> <flags>
# Only the front end runs, which is where a missing intrinsic or a warning shows.
set -euo pipefail
cd "$(dirname "$0")/.."

isa=$1
files=$2
compiler=$3
shift 3
if ! command -v "$compiler" >/dev/null; then
  echo "check_isa: $compiler not found; \`make deps\` installs it" >&2
  exit 1
fi
rooms=()
for room in src/kernels src/models; do [ ! -d "$room" ] || rooms+=("$room"); done
[ "${#rooms[@]}" -gt 0 ] || { echo "check_isa: no room with instruction-set code"; exit 0; }

# -idirafter: header-only packages of this machine, behind the target's own headers.
find "${rooms[@]}" -name "$files" -print0 |
  xargs -0 -r -n 1 -P 2 "$compiler" -std=c++20 -fsyntax-only -Isrc -idirafter /usr/include \
    "-DSCHEMAMEM_ISA=isa_$isa" "-DSCHEMAMEM_HAS_$isa=1" "$@"
