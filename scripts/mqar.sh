#!/usr/bin/env bash
# Trains and evaluates the three models on associative recall, in results/mqar, and writes docs/results/mqar.md from their
# records. Goes on where it was; runs that are there are not trained again.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/deps.sh figures search
SETTING=${SETTING:-V256L64P4} SEED=${SEED:-42} OUT=${OUT:-results/mqar}
models=(schemamem:width=64:heads=4:head_dim=16:hidden=32 mamba3:width=64 gdn:width=64)
for model in "${models[@]}"; do
  run=$OUT/${model%%:*}-$SETTING-levels-s$SEED
  [ -f "$run/result.json" ] ||
    build/schemamem train --model "$model" --task mqar --setting "$SETTING" --recipe levels --seed "$SEED" --out "$run"
  build/schemamem eval "$run" >/dev/null
done
python3 scripts/mqar_page.py "$OUT" docs/results
