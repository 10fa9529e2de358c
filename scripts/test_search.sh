#!/usr/bin/env bash
# The search of docs/recipe_search.md, on runs of eight steps: what is trained enters the record, and what the record has is not
# trained again.   test_search.sh PROGRAM
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PROGRAM=$1 OUT=$work/search JOBS=2 SETTINGS=A3V3 LIMIT=8
search=$(dirname "$0")/search.sh

fail() {
  echo "search: $*" >&2
  exit 1
}

VARIANTS=no-clip "$search" fast-baselines >"$work/first.txt"
for run in fast-baselines,{fast,no-clip},{mamba3,gdn},A3V3,51; do
  grep -q "^$run,[0-9a-f]*,step-limit,0,0,[0-9]*,1536,[0-9.]*,[0-9.]*,[0-9.]*,[0-9.]*$" "$OUT/search.csv" || fail "no line of $run"
done
[ "$(wc -l <"$OUT/search.csv")" -eq 5 ] || fail "not a head and four lines: $(cat "$OUT/search.csv")"
grep -q '^| `fast`, but: gradients are not clipped | none after stage 0: .* | none after stage 0: .* |$' "$OUT/search.md" ||
  fail "no row of the variant: $(cat "$OUT/search.md")"

cp "$OUT/search.csv" "$work/first.csv"
rm -r "$OUT/search.csv" "$OUT"/fast-baselines/*/gdn-A3V3-no-clip-*/evaluations
python3 "$(dirname "$search")/search_table.py" "$OUT" "$OUT"
[ "$(wc -l <"$OUT/search.csv")" -eq 4 ] || fail "a run that was not asked is on record: $(cat "$OUT/search.csv")"

cp "$work/first.csv" "$OUT/search.csv"
rm -r "$OUT/fast-baselines"
VARIANTS=no-clip,decay-01 "$search" fast-baselines >"$work/second.txt"
[ "$(ls -d "$OUT"/fast-baselines/*/*/ | wc -l)" -eq 2 ] || fail "not one run a model: $(ls "$OUT"/fast-baselines/*)"
[ "$(grep -cxFf "$work/first.csv" "$OUT/search.csv")" -eq 5 ] || fail "the record lost what it had: $(cat "$OUT/search.csv")"
[ "$(grep -c ',decay-01,' "$OUT/search.csv")" -eq 2 ] || fail "the new variant is not on record"

MODELS=gdn VARIANTS=no-clip,no-average "$search" fast-baselines >"$work/third.txt"
[ "$(grep ',no-average,' "$OUT/search.csv" | cut -d, -f3)" = gdn ] || fail "not one model: $(cat "$OUT/search.csv")"

status=0
"$search" faster 2>"$work/error.txt" || status=$?
[ $status -eq 64 ] || fail "a part that is not there ends with $status"
grep -q "there is no part 'faster'" "$work/error.txt" || fail "no word of the part: $(cat "$work/error.txt")"
status=0
VARIANTS=no-clip,no-clap "$search" fast-baselines 2>"$work/error.txt" || status=$?
[ $status -eq 64 ] || fail "a variant that is not there ends with $status"
grep -q "there is no variant 'no-clap'" "$work/error.txt" || fail "no word of the variant: $(cat "$work/error.txt")"
status=0
MODELS=gnd "$search" fast-baselines 2>"$work/error.txt" || status=$?
[ $status -eq 64 ] || fail "a model that is not there ends with $status"
grep -q "there is no model 'gnd'" "$work/error.txt" || fail "no word of the model: $(cat "$work/error.txt")"
echo "search: seven runs, each trained once"
