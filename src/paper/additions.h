#pragma once

#include <vector>

#include "paper/diff.h"
#include "report/table.h"

namespace schemamem {

/// Tables that the paper does not have, marked as ours: drops (its figure as numbers), half_life, intervals
/// (bootstrap), unseen (the second evaluation seed beside the first), far (delays that only curves reach), and, if any
/// run was asked, writes (all addresses after so many writes). Only models and settings with runs have rows.
std::vector<Table> additions(const Ledger& ledger, const Selection& selection);

}  // namespace schemamem
