#!/usr/bin/env bash
# The module of the explorer: wasm.sh builds wasm/schemamem.wasm.gz and lists in wasm/sources.sha256 what it was built from;
# wasm.sh --check says whether these sources are still the same.
set -euo pipefail
cd "$(dirname "$0")/.."

module=wasm/schemamem.wasm.gz
sources=wasm/sources.sha256

if [ "${1:-}" = --check ]; then
  if sha256sum --check --strict --quiet "$sources"; then
    echo "the module is of these sources"
    exit 0
  fi
  echo "$module was built from other sources; run \`make wasm\` and commit $module, $sources and the page (\`make web\`)" >&2
  exit 1
fi

scripts/venv.sh ziglang==0.17.0
cmake --preset wasm --log-level=WARNING
cmake --build build-wasm -j "${JOBS:-$(nproc)}" --target schemamem_module
gzip -9 -n -c build-wasm/wasm/schemamem_module.wasm >"$module"
{
  ninja -C build-wasm -t query wasm/schemamem_module.wasm | grep -o 'wasm/[^ ]*\.obj$' | sort -u |
    xargs ninja -C build-wasm -t deps | grep -Eo "$PWD/(src|wasm|include)/[^ ]+" | sed "s|^$PWD/||"
  printf '%s\n' wasm/CMakeLists.txt wasm/exports.txt cmake/wasm.cmake cmake/Rooms.cmake cmake/HeaderOnly.cmake
} | LC_ALL=C sort -u | xargs sha256sum >"$sources"
echo "$module: $(stat -c %s "$module") bytes, of $(wc -l <"$sources") files"
