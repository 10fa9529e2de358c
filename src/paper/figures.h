#pragma once

#include <string>
#include <vector>

#include "paper/diff.h"
#include "report/gnuplot_script.h"

namespace schemamem {

/// delay, retention, interference, updated, default, drops, seeds: the figures of the paper that show numbers, and ours
/// in them. Filled marks are ours, hollow ones the paper's.
std::vector<Figure> paper_figures(const Ledger& ledger, const Selection& selection);

/// The script of a figure, with a legend of the paper's models.
std::string paper_script(PanelGrid grid);

}  // namespace schemamem
