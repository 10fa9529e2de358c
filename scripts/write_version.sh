#!/bin/sh
# Writes tests/data/versions/VERSION: small runs of every model and task, with checkpoints, records and states, as this
# program makes them. Once for each released version; what is there is never written again, and read for ever
# (tests/check/versions_test.cpp).
set -eu
version=$1 build=$2
into=$(dirname "$0")/../tests/data/versions/$version
[ ! -e "$into" ] || { echo "$into is there already; a version is written once" >&2; exit 73; }
program=$build/schemamem
few="--set batch.episodes=5 --set validation.every=6 --set validation.episodes=4 --set validation.passes=1"
limits="--set transactions.limit=12 --set maintenance.limit=12 --set levels.limit=12"
passing="--set transactions.history_thresholds=[0,0,0] --set transactions.thresholds=[0,0] --set maintenance.thresholds=[0,0]"

# train NAME ARGUMENTS...: a run that ends at its step limit, which is code 2.
train() {
  name=$1 && shift
  "$program" train --isa baseline --seed 7 --threads 1 $few $limits --out "$into/$name" "$@" || [ $? -eq 2 ]
}
schemamem=schemamem:layers=1:width=8:slots=4:heads=2:head_dim=4:hidden=4:commit_every=48
train schemamem --model $schemamem --setting A2V2 $passing
train gdn --model gdn:layers=1:width=16:heads=1:head_dim=16 --setting A2V2 $passing
train mamba3 --model mamba3:layers=1:width=16:heads=1:groups=1:state=16 --setting A2V2 $passing
train recall --model $schemamem --task mqar --setting V16L16P2 --recipe levels
for mode in eval ablate; do
  "$program" $mode --isa baseline --delays 8 --episodes 4 --eval-seed 20261001 "$into/schemamem"
done
SCHEMAMEM_STATES="$into" "$build/tests/check_test" --gtest_also_run_disabled_tests --gtest_filter='*DISABLED_WriteStates'
find "$into" -name lock -delete
