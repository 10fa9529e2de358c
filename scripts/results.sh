#!/usr/bin/env bash
# Writes what is made of the runs in results/: results/<recipe>/paper, results/<recipe>/report.html, the recipes side by side
# in results/report.html, and the headline: whole in docs/results, in brief in README.md.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/deps.sh figures
folders=()
for folder in results/*/; do
  folder=${folder%/}
  compgen -G "$folder/*/result.json" >/dev/null || continue  # no run has ended
  ! grep -qs '"task":' "$folder"/*/run.json || continue      # not the paper's task
  folders+=("$folder")
  build/schemamem paper all "$folder" -o "$folder/paper"
  build/schemamem report "$folder" -o "$folder/report.html"
done
build/schemamem report "${folders[@]}" -o results/report.html
build/schemamem paper headline "${folders[@]}" -o docs/results --into docs/results/index.md >/dev/null
build/schemamem paper headline "${folders[@]}" -o docs/results --into README.md --brief >/dev/null
