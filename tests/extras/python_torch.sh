#!/usr/bin/env bash
# The PyTorch modules of the Python package that python_package.sh has installed: python_torch.sh BUILD [SCRIPT [ARGUMENT...]]
# Runs their tests, or a script.
# PyTorch is large and in .venv for other tests too, so the package comes to it. Exit code 77: it cannot be installed.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "$1")
shift

scripts/venv.sh torch==2.13.0 numpy safetensors pytest
package=$("$build/python-venv/bin/python" -c 'import schemamem; print(schemamem.__path__[0])')
mkdir -p "$build/python-path"
ln -sfn "$package" "$build/python-path/schemamem"
export PYTHONPATH=$build/python-path OMP_NUM_THREADS=1
[ $# -eq 0 ] || exec .venv/bin/python "$@"
exec .venv/bin/python -m pytest -q -p no:cacheprovider python/tests/test_torch.py python/tests/test_guests.py \
  python/tests/test_recall.py --rootdir python/tests
