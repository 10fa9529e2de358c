#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "task/task_case.h"

namespace schemamem {

using Text = std::optional<std::string>;  // as it was given; nothing: not given

/// --setting, --scenario, --delay
struct CaseOptions {
  Text setting, scenario, delay;

  void add_to(CLI::App& command);
  Result<TaskCase> read() const;
};

/// A whole number of the command line, or `fallback` when it was not given.
Result<std::int64_t> read_number(const Text& text, std::string_view flag, std::int64_t fallback, std::int64_t least,
                                 std::int64_t most);

/// --threads: unless given, the cores that this process was bound to, or all, shared with so many processes beside it.
Result<int> read_threads(const Text& text, int processes = 1);
/// --floor, and its number; 0, where it is off, unless it is given.
void add_floor_option(CLI::App& command, Text& floor);
Result<double> read_floor(const Text& text);

inline constexpr std::int64_t kLargestSeed = (std::int64_t{1} << 62) - 1;
inline constexpr std::int64_t kMostEpisodes = 1'000'000;

}  // namespace schemamem
