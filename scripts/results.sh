#!/usr/bin/env bash
# Writes what is made of the runs in results/: results/<recipe>/paper, results/<recipe>/report.html, and the headline, in
# docs/results and README.md.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/deps.sh test
for folder in results/*/; do
  folder=${folder%/}
  build/schemamem paper all "$folder" -o "$folder/paper"
  build/schemamem report "$folder" -o "$folder/report.html"
done
build/schemamem paper headline results/*/ -o docs/results --into README.md >/dev/null
