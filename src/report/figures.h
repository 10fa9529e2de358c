#pragma once

#include <string>
#include <vector>

#include "report/diff.h"

namespace schemamem {

/// A figure as data and as a gnuplot script that reads it from `<name>.csv` in its own folder and writes
/// `<name>.<format>`; the format is pdf, svg or png: `gnuplot -e "format='svg'" <name>.gp`.
struct Figure {
  std::string name{}, label{}, title{};
  std::string csv{}, script{};
};

/// delay, retention, interference, updated, default, drops, seeds: the figures of the paper that show numbers, and ours
/// in them. Filled marks are ours, hollow ones the paper's.
std::vector<Figure> paper_figures(const Ledger& ledger, const Selection& selection);

}  // namespace schemamem
