#pragma once

#include <span>
#include <string>
#include <vector>

#include "paper/diff.h"

namespace schemamem {

/// What our side of these cells lacks, a sentence each with the command that makes it: runs of the paper's seeds that
/// do not exist, runs that are not finished, runs that are not evaluated.
std::vector<std::string> gaps(const Ledger& ledger, const Selection& selection, std::span<const PaperCell> cells);

/// The runs among those of these cells that ended at their step limit, a sentence; nothing if there is none.
std::vector<std::string> capped_runs(const Ledger& ledger, const Selection& selection,
                                     std::span<const PaperCell> cells);

}  // namespace schemamem
