#!/usr/bin/env bash
# The first thing a newcomer sees: the program at work. `make quickstart` builds it and calls this.
set -euo pipefail
cd "$(dirname "$0")/.."

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

show build/schemamem --version
show build/schemamem task describe --setting A3V3
show build/schemamem task sample --setting A3V3 --scenario overwrite --delay 8
show build/schemamem verify tests/data/golden/schemamem/*.safetensors
show build/schemamem bench step --model schemamem
show build/schemamem bench stream --model schemamem

cat <<'TEXT'

What to do next
  build/schemamem --help     everything the program does, examples first
  make test                  build and run all tests
  docs/paper_map.md          from each equation of the paper to its code and its test
  make help                  all targets
TEXT
