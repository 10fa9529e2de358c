# What an execution of a fuzz target may take, for the scripts that run them: 1 s, 512 MB in all and in one allocation. What
# ASan keeps of freed memory counts as memory too: a small share of the limit is its own. It remembers no stacks of
# allocations, which costs time; who looks at a finding sets malloc_context_size in ASAN_OPTIONS.
limits=(-timeout=1 -rss_limit_mb=512 -malloc_limit_mb=512)
export ASAN_OPTIONS=${ASAN_OPTIONS:-quarantine_size_mb=8:malloc_context_size=0}

# How a target is driven, by the folder of its seeds. No input is longer than its longest seed and 256 bytes: what a grammar
# has fits in there, and what is too long has tests of its own. libFuzzer's scheduling by rare features is off: its books
# take up to half of the time of a target that is quick.
choose_drive() {
  local longest
  longest=$(find "$1" -type f -printf '%s\n' 2>/dev/null | sort -n | tail -1)
  drive=(-entropic=0 -max_len=$((${longest:-0} + 256)))
}
