#!/usr/bin/env bash
# Runs the fuzz targets in a folder one after the other: fuzz.sh <folder> <seconds each> [target]
# New inputs go to <folder>/found/<target>, never into the repository; a crash leaves its input in <folder>.
set -euo pipefail
folder=$(cd "$1" && pwd)
seconds=$2
only=${3:-}
corpus_root=$(cd "$(dirname "$0")/.." && pwd)/fuzz/corpus

ran=0
for program in "$folder"/*_fuzz; do
  [ -x "$program" ] || continue
  name=$(basename "$program" _fuzz)
  if [ -n "$only" ] && [ "$only" != "$name" ]; then continue; fi
  ran=$((ran + 1))
  mkdir -p "$folder/found/$name"
  corpora=("$folder/found/$name")
  [ ! -d "$corpus_root/$name" ] || corpora+=("$corpus_root/$name")
  echo "fuzz: $name for $seconds s"
  "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 \
    -artifact_prefix="$folder/$name-" "${corpora[@]}" </dev/null
done
[ -n "$only" ] && [ "$ran" -eq 0 ] && { echo "fuzz: there is no target '$only' in $folder" >&2; exit 66; }
[ "$ran" -gt 0 ] || echo "fuzz: no targets in $folder; a target is a file fuzz/<name>_fuzz.cpp"
