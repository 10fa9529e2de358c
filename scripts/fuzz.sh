#!/usr/bin/env bash
# Runs fuzz targets of a folder one after the other:
#   fuzz.sh <folder> <seconds each> [target]        all of them, or one
#   fuzz.sh <folder> seeds <target>                 one over its committed seeds, once
#   fuzz.sh <folder> <seconds each> --rotate <n>    n of them, other ones every day
# New inputs go to <folder>/found/<target>, never into the repository; a crash leaves its input in <folder>.
set -euo pipefail
folder=$(cd "$1" && pwd)
seconds=$2
only=${3:-}
corpus_root=$(cd "$(dirname "$0")/.." && pwd)/fuzz/corpus
. "$(dirname "$0")/fuzz_limits.sh"

names=()
for program in "$folder"/*_fuzz; do
  [ -x "$program" ] && names+=("$(basename "$program" _fuzz)")
done
[ "${#names[@]}" -gt 0 ] || { echo "fuzz: no targets in $folder; a target is a file fuzz/<name>_fuzz.cpp"; exit 0; }

if [ "$only" = --rotate ]; then
  first=$(($(date +%s) / 86400 * $4 % ${#names[@]}))
  chosen=()
  for ((i = 0; i < $4 && i < ${#names[@]}; ++i)); do chosen+=("${names[$(((first + i) % ${#names[@]}))]}"); done
  names=("${chosen[@]}")
elif [ -n "$only" ]; then
  [ -x "$folder/${only}_fuzz" ] || { echo "fuzz: there is no target '$only' in $folder" >&2; exit 66; }
  names=("$only")
fi

for name in "${names[@]}"; do
  seeds=()
  [ ! -d "$corpus_root/$name" ] || seeds=("$corpus_root/$name")
  if [ "$seconds" = seeds ]; then
    [ "${#seeds[@]}" -gt 0 ] || { echo "fuzz: $name has no seeds in fuzz/corpus/$name" >&2; exit 66; }
    "$folder/${name}_fuzz" -runs=0 "${limits[@]}" -verbosity=0 "${seeds[@]}" </dev/null
    continue
  fi
  mkdir -p "$folder/found/$name"
  choose_drive "$corpus_root/$name"
  echo "fuzz: $name for $seconds s"
  "$folder/${name}_fuzz" -max_total_time="$seconds" "${limits[@]}" "${drive[@]}" -print_final_stats=1 -verbosity=0 \
    -artifact_prefix="$folder/$name-" "$folder/found/$name" ${seeds[@]+"${seeds[@]}"} </dev/null
done
