#!/usr/bin/env bash
# Makes .venv with the packages of tests/extras/requirements.txt. Without a reachable package index it says so and
# succeeds: each test that misses a package reports itself as skipped.
set -euo pipefail
cd "$(dirname "$0")/.."

requirements=tests/extras/requirements.txt
stamp=.venv/requirements.txt
if cmp -s "$requirements" "$stamp"; then exit 0; fi
[ -x .venv/bin/python ] || /usr/bin/python3 -m venv .venv
echo "venv: installing $(grep -cv '^ *\(#\|$\)' "$requirements") Python packages and what they need into .venv" >&2
if .venv/bin/python -m pip install --quiet --disable-pip-version-check -r "$requirements" </dev/null; then
  cp "$requirements" "$stamp"
else
  echo "venv: the packages could not be installed (no package index reachable?); tests that need them are skipped" >&2
fi
