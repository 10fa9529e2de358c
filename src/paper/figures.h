#pragma once

#include <string>
#include <vector>

#include "paper/diff.h"
#include "report/gnuplot_script.h"

namespace schemamem {

/// delay, retention, interference, updated, default, drops, seeds: the figures of the paper that show numbers, and ours
/// in them. Filled marks are ours, hollow ones the paper's. Behind them writes, an addition, if any run was asked after
/// numbers of writes.
std::vector<Figure> paper_figures(const Ledger& ledger, const Selection& selection);

/// Whose numbers a figure shows.
enum class Source { kBoth, kOurs };
/// The script of a figure, with a legend of the paper's models.
std::string paper_script(PanelGrid grid, Source source = Source::kBoth);

}  // namespace schemamem
