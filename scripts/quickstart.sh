#!/usr/bin/env bash
# From a clone to an answer, and then to a trained and evaluated model: `make quickstart` builds the program and calls
# this. What was done already is not done again: a run that was stopped goes on, a finished one is evaluated as it is.
set -euo pipefail
cd "$(dirname "$0")/.."

program=build/schemamem
show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

show $program --version

# A conversation with a memory that is shipped, as one would type it.
talk=($program talk a5v5-schemamem-steady-s42)
words=$'write 5 3\nwrite 17 30\nwait 100000\nask 5\nask 17\nask 6\n'
printf '\n$ %s\n' "${talk[*]}"
printf '%s' "$words" | sed 's/^/> /'
printf '%s' "$words" | "${talk[@]}"
echo '(written, written, and the default of an address that never was, behind 100,000 other questions)'

show $program task sample --setting A3V3 --scenario overwrite --delay 8
show $program verify tests/data/golden/*/*.safetensors

# A few minutes. The live view goes to standard error, the result to standard output; its first word is the folder.
train=($program train --model schemamem --setting A3V3 --seed 42 --recipe fast)
printf '\n$ %s\n' "${train[*]}"
code=0
result=$("${train[@]}") || code=$?
printf '%s\n' "$result"
if [ $code -eq 75 ]; then
  echo 'Stopped. `make quickstart` goes on where it was.'
fi
[ $code -eq 0 ] || exit $code
run=${result%% *}

show $program eval "$run"

cat <<TEXT

The run is in $run: weights, metrics, evaluation (docs/formats.md says what is what).

What to do next
  $program talk $run     the same conversation with your own memory
  $program watch $run    the run as it was, from its files
  $program ablate $run   the same questions with the memory switched off
  $program sweep --help    many runs: models x settings x seeds
  $program report --help   tables and figures from runs
  $program --help          everything the program does, examples first
  make test                       build and run all tests
  docs/tutorial/first_answer.md   a tutorial: from the first answer to a model of your own
  docs/paper_map.md               from each equation of the paper to its code and its test
TEXT
