#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "paper/diff.h"
#include "report/table.h"

namespace schemamem {

/// The eight tables of the paper in its order, ours beside theirs: resources, core, long_delay, cost, per_seed, groups,
/// ablation_384, ablation_1536.
std::vector<Table> paper_tables(const Ledger& ledger, const Selection& selection);

/// " ≈", " ▲", " ▼"; nothing for what is missing.
std::string_view verdict_mark(Verdict verdict);
/// "79.2 ± 3.1 ≈", "79.2 (n=1)": fewer seeds than the paper's three are told.
std::string ours_text(const DiffCell& cell, int decimals, bool with_sd);

}  // namespace schemamem
