#!/usr/bin/env bash
# Installs the wheels of build/wheel (`make wheel`) where there is no compiler, and pastes docs/python.md into each:
#   wheel.sh [PYTHON...]   each interpreter takes the wheel that is for it
set -euo pipefail
cd "$(dirname "$0")/../.."
ls build/wheel/*.whl >/dev/null
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ "$#" -gt 0 ] || set -- python3 python3.{10,11,12,13,14}
tried=0
for python in "$@"; do
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || continue
  version=$("$python" -c 'import sys; print("3.%d" % sys.version_info[1])')
  [ ! -e "$work/$version" ] || continue
  "$python" -m venv "$work/$version"
  # Nothing on the path but the environment: no compiler, no CMake.
  alone() { (cd "$work" && PATH=$work/$version/bin "$@"); }
  pip=(python -m pip install --quiet --disable-pip-version-check)
  if ! alone "${pip[@]}" 'numpy>=1.24' matplotlib >"$work/log" 2>&1; then
    echo "wheel: NumPy and matplotlib cannot be installed for Python $version (no package index reachable?): not tried"
    continue
  fi
  if ! alone "${pip[@]}" --no-index --find-links "$PWD/build/wheel" schemamem >"$work/log" 2>&1; then
    echo "wheel: no wheel of build/wheel is for Python $version: not tried"
    continue
  fi
  MPLBACKEND=Agg alone python "$PWD/tests/documents/pages.py" --languages python "$PWD/docs/python.md"
  tried=$((tried + 1))
  echo "wheel: Python $version does what docs/python.md says"
done
[ "$tried" -gt 0 ] || { echo "wheel: no interpreter could be tried" >&2; exit 77; }
