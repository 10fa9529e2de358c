#!/usr/bin/env bash
# Compiles the NEON kernels and all models for aarch64 and holds them against the golden vectors, run by qemu.
set -euo pipefail
cd "$(dirname "$0")/../.."
for program in aarch64-linux-gnu-g++-12 qemu-aarch64; do
  command -v "$program" >/dev/null || { echo "neon: $program not found; \`make test-extras\` installs it" >&2; exit 77; }
done
scripts/build_preset.sh neon golden_test
ctest --test-dir build-neon -R 'EveryGoldenFile' --no-tests=error --output-on-failure -j "$(nproc)"
