#!/usr/bin/env bash
# Trains the two models of examples/your_model on one core each, SECONDS_EACH seconds (default 300), scores them, and writes
# docs/results/guests.md. Guests that are in OUT (default results/guests) are not trained again.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/deps.sh figures extras
OUT=${OUT:-results/guests} SECONDS_EACH=${SECONDS_EACH:-300} PAGE=${PAGE:-docs/results}
cmake --build build --target schemamem_static
tests/extras/python_package.sh build -k no_test || [ $? = 5 ]
for model in gru transformer; do
  [ -f "$OUT/$model-A3V3-s42/guest.json" ] ||
    tests/extras/python_torch.sh build examples/your_model/run.py "$model" --seconds "$SECONDS_EACH" --out "$OUT"
done
build/schemamem paper guests results/steady "$OUT" -o "$PAGE" >/dev/null
{
  cat <<'TEXT'
# Guests beside our models

Made by `make guests`: a GRU and a small transformer in PyTorch (`examples/your_model`), trained
five minutes each on one core and asked the same episodes as our models, by `schemamem.bench`. The transformer keeps every row it
has read; the others carry a state of fixed size.

![Exact-value accuracy over delay, guests beside our models](figures/guests.svg)

TEXT
  sed "s/^## .*/## Numbers/" "$PAGE/tables/guests.md"
} >"$PAGE/guests.md"
