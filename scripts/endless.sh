#!/usr/bin/env bash
# Trains and evaluates the recipe `endless` in results/endless, 81 runs, and SchemaMem as printed under the same recipe, one
# seed, in results/endless-printed. Hours; goes on where it was, and what is there is not computed again.
set -euo pipefail
cd "$(dirname "$0")/.."
plan() {  # FOLDER OPTIONS...
  [ -f "$1/sweep.toml" ] || build/schemamem sweep plan --settings grid --no-estimate --out "$@" >/dev/null
}
plan results/endless --models schemamem:commit=pull,mamba3,gdn --recipes endless --seeds 42-44
plan results/endless-printed --models schemamem --recipes endless-printed --seeds 42
for folder in results/endless results/endless-printed; do
  build/schemamem sweep run "$folder" --evaluate || [ $? = 2 ]  # 2: some ended at their limit, which is a result too
  build/schemamem eval "$folder" --curve
  build/schemamem eval "$folder" --writes 4,8,16,32,64,256,1024,4096 --episodes 20
  build/schemamem eval "$folder" --writes 16384,100000 --episodes 8
  build/schemamem ablate "$folder"
done
