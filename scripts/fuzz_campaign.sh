#!/usr/bin/env bash
# Gives every fuzz target of a folder a number of executions, one process at a time:
#   fuzz_campaign.sh <folder> <executions> [target ...]      all of them, or the named ones
#   fuzz_campaign.sh <folder> table                          what has been reached
# It may be cut at any time and goes on where it was, less what its last slice of SLICE seconds (default 300) had done: what
# each target has reached is in <folder>/campaign/<target>, its inputs are in <folder>/found/<target>. A target without a
# count comes first, for 20 seconds, then the one that is soonest done. A finding stays in <folder>/campaign and ends its target's turn.
set -euo pipefail
folder=$(cd "$1" && pwd)
goal=$2
shift 2
slice=${SLICE:-300}
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/scripts/fuzz_limits.sh"
counts=$folder/campaign
mkdir -p "$counts"

names=("$@")
if [ "${#names[@]}" = 0 ]; then
  for program in "$folder"/*_fuzz; do names+=("$(basename "$program" _fuzz)"); done
fi

# A line of counts: executions, seconds, findings, longest execution in s, most memory in MB.
reached() { if [ -s "$counts/$1" ]; then cat "$counts/$1"; else echo "0 0 0 0 0"; fi; }

table() {
  printf '%-20s %11s %8s %7s %9s %12s %8s\n' target executions seconds 'per s' findings 'longest run' 'most MB'
  for name in "${names[@]}"; do
    read -r executions seconds findings longest memory < <(reached "$name")
    printf '%-20s %11d %8d %7d %9d %12s %8d\n' "$name" "$executions" "$seconds" \
      "$((executions / (seconds > 0 ? seconds : 1)))" "$findings" "$([ "$longest" = 0 ] && echo 'under 1 s' || echo "$longest s")" "$memory"
  done
}

# The target to go on with: one without a count, or the one with the least time to go.
next() {
  for name in "${names[@]}"; do
    read -r executions seconds findings _ < <(reached "$name")
    [ "$findings" = 0 ] && [ "$executions" -lt "$goal" ] || continue
    echo "$((executions == 0 ? 0 : (goal - executions) * (seconds + 1) / executions + 1)) $name"
  done | sort -n | sed -n '1s/.* //p'
}

# An execution that took long because the machine was busy is none that takes long: the processor's seconds count.
is_slow_again() {
  local TIMEFORMAT='%U %S' took
  took=$({ time "$folder/${1}_fuzz" "${limits[@]}" -timeout=60 "$2" >/dev/null 2>&1 </dev/null; } 2>&1) || return 0
  awk -v took="$took" 'BEGIN { split(took, s, " "); exit !(s[1] + s[2] > 1) }'
}

run_slice() {
  local name=$1 log=$counts/$1.log begun=$SECONDS seeds=()
  read -r executions seconds findings longest memory < <(reached "$name")
  [ ! -d "$root/fuzz/corpus/$name" ] || seeds=("$root/fuzz/corpus/$name")
  local time=$slice
  [ "$executions" -gt 0 ] || [ "$slice" -lt 20 ] || time=20
  mkdir -p "$folder/found/$name"
  choose_drive "$root/fuzz/corpus/$name"
  "$folder/${name}_fuzz" -runs=$((goal - executions)) -max_total_time="$time" "${limits[@]}" "${drive[@]}" \
    -report_slow_units=1 -print_final_stats=1 -verbosity=0 -artifact_prefix="$counts/$name-" "$folder/found/$name" \
    ${seeds[@]+"${seeds[@]}"} \
    >"$log" 2>&1 </dev/null || true
  for input in "$counts/$name"-timeout-* "$counts/$name"-slow-unit-*; do
    [ ! -e "$input" ] || is_slow_again "$name" "$input" || rm "$input"
  done
  stat() { sed -n "s/^stat::$1: *//p" "$log"; }
  local done_now took=$((SECONDS - begun))
  done_now=$(stat number_of_executed_units)
  [ "$took" -gt 0 ] || took=1
  executions=$((executions + ${done_now:-0}))
  findings=$(find "$counts" -name "$name-*" | wc -l)
  local slowest peak
  slowest=$(stat slowest_unit_time_sec) peak=$(stat peak_rss_mb)
  # On a busy machine an execution may have taken longer than it takes: only what is slow again counts.
  [ "$findings" = 0 ] || [ "${slowest:-0}" -le "$longest" ] || longest=$slowest
  [ "${peak:-0}" -le "$memory" ] || memory=$peak
  echo "$executions $((seconds + took)) $findings $longest $memory" >"$counts/.$name" && mv "$counts/.$name" "$counts/$name"
  if [ -z "$done_now" ] && [ "$findings" = 0 ]; then
    echo "fuzz_campaign: $name ended without a count; see $log" >&2
    exit 70
  fi
}

if [ "$goal" != table ]; then
  while name=$(next) && [ -n "$name" ]; do
    run_slice "$name"
    echo "fuzz_campaign: $name has $(cut -d' ' -f1 "$counts/$name") of $goal executions"
  done
fi
table
! find "$counts" -name '*-*' ! -name '*.log' | grep .
