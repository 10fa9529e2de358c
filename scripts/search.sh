#!/usr/bin/env bash
# Trains the search of docs/recipe.md: every file of configs/search beside the recipe it changes, on seeds that no result
# is made with. Writes docs/results/search.*. It takes hours and goes on where it was stopped. OUT, JOBS, SEEDS may be set.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/deps.sh search
out=${OUT:-runs/search}
jobs=${JOBS:-$(nproc)}
seeds=${SEEDS:-51}
limits=(--set transactions.limit=8000 --set maintenance.limit=8000)  # of a stage: a variant that is slower has lost

recipes() {  # the recipes named, and the files of configs/search
  local list=$1
  shift
  for name in "$@"; do list+=,configs/search/$name.toml; done
  echo "$list"
}
search() {  # FOLDER MODELS SETTINGS RECIPES
  [ -f "$out/$1/sweep.toml" ] || build/schemamem sweep plan --models "$2" --settings "$3" --recipes "$4" \
    --seeds "$seeds" "${limits[@]}" --no-estimate --out "$out/$1" >/dev/null
  # A run at its limit is a result here (exit code 2).
  build/schemamem sweep run "$out/$1" --jobs "$jobs" --threads 1 || [ $? -eq 2 ]
}

common=(adamw initial-paper rate-1e-3 rate-4e-3 batch-16 batch-64 one-scenario beta2-095 decay-01 no-average no-clip
        log-delays few-immediate updated-2 no-filler intermediate-1 cooldown-2000)
search fast-schemamem schemamem A3V3,A4V4,A5V5 "$(recipes fast "${common[@]}" schema-uniform no-history)"
search fast-baselines mamba3,gdn A3V3,A5V5 "$(recipes fast "${common[@]}")"
search steady schemamem,mamba3,gdn A5V5 "$(recipes steady steady-no-term steady-weak)"

for folder in fast-schemamem fast-baselines; do
  build/schemamem eval "$out/$folder" --delays 1536 --scenarios retention,interference,overwrite --episodes 128 \
    --eval-seed 1 >/dev/null
done
build/schemamem eval "$out/steady" --curve --delays 1536,24576,98304 --episodes 16 --eval-seed 1 >/dev/null
python3 scripts/search_table.py "$out" docs/results
