#!/usr/bin/env bash
# Trains the search of docs/recipe_search.md: every file of configs/search beside the recipe it changes, on seeds that no result is
# made with, and writes what came out into docs/results/search.*, beside what is there. It takes hours and goes on where it
# was stopped; what the record has is not trained again, also where the runs are gone.
# search.sh [PART...]: the parts are below. OUT, JOBS, SEEDS (51,52), MODELS (gdn), SETTINGS (A3V3,A5V5), VARIANTS
# (adamw,no-clip), LIMIT and PROGRAM may be set; the recipe that is varied is always trained too.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/deps.sh search
out=${OUT:-runs/search}
jobs=${JOBS:-$(nproc)}
seeds=${SEEDS:-51}
program=${PROGRAM:-build/schemamem}
limit=${LIMIT:-4000}  # steps of a stage: a variant that is slower has lost
tables=docs/results
[ "$out" = runs/search ] || tables=$out  # a trial elsewhere leaves the record alone

common=(adamw initial-paper rate-1e-3 rate-4e-3 batch-16 batch-64 one-scenario beta2-095 decay-01 no-average no-clip
        log-delays few-immediate updated-2 no-filler intermediate-1 cooldown-2000)
recipes() {  # the recipe that is varied, and those files of configs/search that are wanted
  local list=$1
  shift
  for name in "$@"; do
    if [[ ,${VARIANTS:-$name}, == *,$name,* ]]; then list+=,configs/search/$name.toml; fi
  done
  echo "$list"
}

on_record() {  # PART RECIPE MODEL SETTING: whether the record has it, with every seed
  for seed in ${seeds//,/ }; do grep -qs "^$1,$2,$3,$4,$seed," "$tables/search.csv" || return 1; done
}

search() {  # PART MODELS SETTINGS RECIPES EVALUATION...
  local part=$1 models=$2 settings=${SETTINGS:-$3} list=$4
  shift 4
  for setting in ${settings//,/ }; do
    for model in ${models//,/ }; do
      [[ ,${MODELS:-$model}, == *,$model,* ]] || continue
      local folder=$out/$part/$setting-$model-s$seeds${VARIANTS:+-$VARIANTS} left=()
      if [ ! -f "$folder/sweep.toml" ]; then
        for recipe in ${list//,/ }; do
          on_record "$part" "$(basename "$recipe" .toml)" "$model" "$setting" || left+=("$recipe")
        done
        [ ${#left[@]} -gt 0 ] || continue
        "$program" sweep plan --models "$model" --settings "$setting" --recipes "$(IFS=,; echo "${left[*]}")" \
          --seeds "$seeds" --set "transactions.limit=$limit" --set "maintenance.limit=$limit" --no-estimate \
          --out "$folder" >/dev/null
      fi
      # A variant that diverges is a result here: its run is marked as failed, and the sweep says so by exit code 1.
      "$program" sweep run "$folder" --jobs "$jobs" --threads 1 || [ $? -le 2 ]
      "$program" eval "$folder" --eval-seed 1 "$@" >/dev/null
      python3 scripts/search_table.py "$out" "$tables"
    done
  done
}

at_1536=(--delays 1536 --scenarios "retention,interference,overwrite" --episodes 128)
far=(--curve --delays "1536,24576,98304" --episodes 16)
for name in $(echo "${VARIANTS:-}" | tr , ' '); do
  [ -f "configs/search/$name.toml" ] || { echo "search: there is no variant '$name'; configs/search has them all" >&2; exit 64; }
done
for name in $(echo "${MODELS:-}" | tr , ' '); do
  [[ " schemamem mamba3 gdn " == *" $name "* ]] ||
    { echo "search: there is no model '$name'; the models are schemamem, mamba3 and gdn" >&2; exit 64; }
done
[ $# -gt 0 ] || set -- fast-schemamem fast-baselines steady
for part in "$@"; do
  case "$part" in
    fast-schemamem)
      search "$part" schemamem A3V3,A5V5,A4V4 "$(recipes fast "${common[@]}" schema-uniform silent no-history)" "${at_1536[@]}" ;;
    fast-baselines) search "$part" mamba3,gdn A3V3,A5V5,A4V4 "$(recipes fast "${common[@]}")" "${at_1536[@]}" ;;
    steady)
      search "$part" schemamem,mamba3,gdn A5V5,A3V3,A4V4 \
        "$(recipes steady steady-no-term steady-late steady-weak steady-short steady-linear steady-uniform)" "${far[@]}" ;;
    *) echo "search: there is no part '$part'; the parts are fast-schemamem, fast-baselines and steady" >&2; exit 64 ;;
  esac
done
