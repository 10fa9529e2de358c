#!/usr/bin/env bash
# Writes the pages of docs/, with the references of Python and C++, to build/site: one folder that asks nothing of the network.
# Any warning, such as a link that leads nowhere, is an error. Exit code 77 when Sphinx cannot be installed.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=build/site-venv
mkdir -p build/docs "$venv"
exec 9>"$venv/lock"
flock 9
if ! { [ -x "$venv/bin/pip" ] || python3 -m venv "$venv"; } ||
    ! "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r docs/site/requirements.txt </dev/null >&2; then
  echo "site: Sphinx cannot be installed (no package index reachable?)" >&2
  exit 77
fi
doxygen docs/Doxyfile
rm -rf build/site
"$venv/bin/sphinx-build" -q -W --keep-going -d build/site-doctrees -c docs/site docs build/site
rm -f build/site/objects.inv build/site/.buildinfo
echo "build/site/index.html"
