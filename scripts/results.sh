#!/usr/bin/env bash
# Writes what is made of the runs in results/: results/<recipe>/paper, results/<recipe>/report.html, the recipes side by side
# in results/report.html, in docs/results the page about writes and the headline, and the headline in brief in README.md.
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
{
  cat <<'END'
# Written again and again

Made by `make results`. One endless stream an episode: two writes to random addresses, eight queries of random addresses, and so on; after so
many writes a copy of the stream is asked for every address (`schemamem eval RUN --writes 4,8,16,32,64,256,1024,4096 --episodes 20`, seed
20261001). No floor. Why SchemaMem as printed cannot do this for ever: [theory.md](../theory.md).
END
  for folder in "${folders[@]}"; do
    table=$folder/paper/tables/writes.md
    [ -f "$table" ] || continue
    name=$(basename "$folder")
    printf '\n## Recipe `%s`\n\n' "$name"
    if [ -f "$folder/paper/figures/writes.svg" ]; then
      cp "$folder/paper/figures/writes.svg" "docs/results/figures/writes-$name.svg"
      printf '![All addresses after so many writes](figures/writes-%s.svg)\n\n' "$name"
    fi
    tail -n +3 "$table"
  done
} >docs/results/writes.md
