#pragma once

#include <string_view>

/// `--check`: what is compared before anything is timed is compared, and nothing is timed. `make test` runs it.
inline bool checks_only(int argc, char** argv) { return argc == 2 && std::string_view(argv[1]) == "--check"; }
