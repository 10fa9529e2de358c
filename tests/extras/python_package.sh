#!/usr/bin/env bash
# The Python package in an environment of its own, and its tests: python_package.sh BUILD [PYTEST_ARGUMENT...]
# `pip install .` links the library that BUILD has already, instead of compiling it once more. Exit code 77, "skipped" to
# ctest, when the packages it needs cannot be installed; anything else that fails is a failure.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "$1")
shift

venv=$build/python-venv
mkdir -p "$venv"
exec 9>"$venv/lock"
flock 9
pip="$venv/bin/python -m pip install --quiet --disable-pip-version-check"
if ! { [ -x "$venv/bin/pip" ] || python3 -m venv "$venv"; } ||
    ! $pip 'numpy>=1.24' 'scikit-build-core>=1.0,<2' 'nanobind>=3.1,<4' pytest matplotlib pandas </dev/null; then
  echo "python_package: NumPy, nanobind or pytest cannot be installed (no package index reachable?)" >&2
  exit 77
fi
if ! $pip --no-build-isolation --no-deps --force-reinstall --config-settings cmake.define.SCHEMAMEM_PYTHON_LIBRARY="$build/libschemamem.a" \
    --config-settings build-dir="$build/python" . </dev/null >"$venv/install.log" 2>&1; then
  tail -30 "$venv/install.log" >&2
  exit 1
fi
cd python/tests  # the folder python/ has a package without its compiled half: not on the path of the tests
SCHEMAMEM_PROGRAM=$build/schemamem exec "$venv/bin/python" -m pytest -q -p no:cacheprovider "$@"
