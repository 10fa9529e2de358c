#pragma once

#include <string>
#include <vector>

#include "paper/diff.h"

namespace schemamem {

/// The verdicts counted by table, and the numbers furthest from the paper's, for a terminal.
std::string diff_summary(const std::vector<DiffCell>& cells);

}  // namespace schemamem
