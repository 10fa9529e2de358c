#!/usr/bin/env bash
# From nothing to the paper's results section, on models that learned next to nothing: plan, train, evaluate, ablate,
# tables, figures, verdicts and the page.   test_pipeline.sh PROGRAM
set -euo pipefail
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
  echo "pipeline: $*" >&2
  exit 1
}
same() {  # same FILE FILE: two ways to one result
  cmp -s "$1" "$2" || fail "$1 and $2 differ"
}

tiny=(batch.episodes=4 validation.every=8 validation.episodes=2 validation.passes=1
      'transactions.history_thresholds=[0,0,0]' 'transactions.thresholds=[0,0]' transactions.limit=24
      'maintenance.thresholds=[0,0]' maintenance.limit=24 cooldown.steps=8)
"$program" sweep plan --models schemamem,mamba3,gdn --settings A3V3 --seeds 42-44 --recipes fast --out runs \
  "${tiny[@]/#/--set=}"
"$program" sweep run runs --jobs 2 --threads 1 || [ $? -eq 2 ]  # they end at their step limit
"$program" sweep status runs --json >status.json
grep -q '"step-limit":9' status.json || fail "the sweep did not end nine runs: $(cat status.json)"

"$program" eval runs --episodes 8 --threads 1 >eval.txt
"$program" eval runs --episodes 8 --threads 2 >again.txt
[ "$(grep -c 'from the record' again.txt)" -eq 18 ] || fail "a second evaluation did not take all of it from the records"
sed 's/, from the record//' again.txt >told.txt
same eval.txt told.txt
"$program" ablate runs --episodes 8 >ablate.txt
record=$(ls -d runs/schemamem-A3V3-*-s42-*)/evaluations/table-recurrent-20261001-8.json
cp "$record" first.json
"$program" eval runs/schemamem-A3V3-*-s42-* --episodes 8 --threads 2 --force >again.txt
same "$record" first.json

"$program" paper all runs -o paper
"$program" paper diff runs --json >diff.json
"$program" paper diff paper --json >stored.json
same diff.json stored.json
[ "$(grep -c '"verdict"' diff.json)" -eq 882 ] || fail "paper diff has not 882 cells"
grep -q '"setting":"A3V3","column":"retained_i","delay":1536,"seeds":\[42,43,44\]' diff.json || fail "no mean over three seeds"
for figure in delay retention interference updated default drops seeds; do
  for format in svg pdf csv gp; do
    [ -s "paper/figures/$figure.$format" ] || fail "paper/figures/$figure.$format is missing"
  done
done
"$program" report runs -o report.html
grep -q 'schemamem-A3V3' report.html || fail "the page knows nothing of the runs"
echo "pipeline: nine runs from the plan to the page"
