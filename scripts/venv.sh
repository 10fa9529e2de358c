#!/usr/bin/env bash
# Puts Python packages for tests into .venv: venv.sh PACKAGE... (such as numpy torch==2.13.0); what is there stays.
# Exit code 77, "skipped" to ctest, when they cannot be installed. Without arguments it installs the packages of
# tests/extras/requirements.txt and succeeds either way: each test that misses a package reports itself as skipped.
set -euo pipefail
cd "$(dirname "$0")/.."

skipped=77
packages=("$@")
if [ "$#" -eq 0 ]; then
  skipped=0
  packages=(-r tests/extras/requirements.txt)
fi

# Tests run side by side; only one at a time may change the environment.
mkdir -p .venv
exec 9>.venv/lock
flock 9

if ! [ -x .venv/bin/pip ] && ! python3 -m venv .venv >&2; then
  echo "venv: python3 cannot make a virtual environment; install the package python3-venv" >&2
  exit "$skipped"
fi
if ! .venv/bin/python -m pip install --quiet --disable-pip-version-check "${packages[@]}" </dev/null >&2; then
  echo "venv: cannot install ${packages[*]} (no package index reachable?); tests that need them are skipped" >&2
  exit "$skipped"
fi
