# What an execution of a fuzz target may take, for the scripts that run them: 1 s, 512 MB in all and in one allocation. What
# ASan keeps of freed memory, and the stacks it remembers, count as memory too: a small share of the limit is theirs.
limits=(-timeout=1 -rss_limit_mb=512 -malloc_limit_mb=512)
export ASAN_OPTIONS=${ASAN_OPTIONS:-quarantine_size_mb=32:malloc_context_size=8}
