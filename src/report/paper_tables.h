#pragma once

#include <vector>

#include "report/diff.h"
#include "report/table.h"

namespace schemamem {

/// The eight tables of the paper in its order, ours beside theirs: resources, core, long_delay, cost, per_seed, groups,
/// ablation_384, ablation_1536.
std::vector<Table> paper_tables(const Ledger& ledger, const Selection& selection);

/// "79.2 ± 3.1", "79.2 (n=1)": fewer seeds than the paper's three are told.
std::string ours_text(const DiffCell& cell, int decimals, bool with_sd);

}  // namespace schemamem
