#!/usr/bin/env bash
# Configures a preset in its folder build-<preset> and builds some of its targets: build_preset.sh PRESET TARGET…
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
folder=build-$preset
[ "$folder/build.ninja" -nt CMakePresets.json ] || { cmake --preset "$preset" --log-level=WARNING && touch "$folder/build.ninja"; }
cmake --build "$folder" -j "$(nproc)" --target "$@"
