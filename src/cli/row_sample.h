#pragma once

#include <cstdint>
#include <string>

#include "cli/console.h"
#include "cli/task_options.h"

namespace schemamem {

/// Which episode of a task other than the paper's.
struct RowSample {
  std::string task;
  Text setting, scenario, delay;  // as given; the task's own first evaluated case otherwise
  std::uint64_t seed = 0;
  std::uint64_t episode = 0;
};

/// Shows one evaluation episode of any task: its rows or symbols, where chunks end, what is expected, and the group.
Status print_rows(const RowSample& wanted, Console& console);

}  // namespace schemamem
