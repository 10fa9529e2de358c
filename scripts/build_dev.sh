#!/usr/bin/env bash
# Configures the preset `dev` in build-dev and builds some of its targets: build_dev.sh TARGET…
set -euo pipefail
cd "$(dirname "$0")/.."
[ build-dev/build.ninja -nt CMakePresets.json ] || { cmake --preset dev --log-level=WARNING && touch build-dev/build.ninja; }
cmake --build build-dev -j "$(nproc)" --target "$@"
