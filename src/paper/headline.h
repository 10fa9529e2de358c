#pragma once

#include "paper/figures.h"
#include "report/table.h"

namespace schemamem {

/// The results in one look: every model as the paper trained it and under each recipe of the runs, averaged over the
/// settings that have numbers.
struct Headline {
  Table table;
  Figure figure;  // accuracy over delay, one row of panels a recipe; bands from the worst setting to the best
};
Headline headline(const Ledger& ledger, std::uint64_t eval_seed = kPaperEvaluationSeed);

/// The same in a few numbers: one score, at the paper's delay and at the longest, of recipes whose grid is whole.
Headline brief_headline(const Ledger& ledger, std::uint64_t eval_seed = kPaperEvaluationSeed);

/// The table, and its figure as it is shown from where it lies.
std::string headline_text(const Headline& headline, const std::string& picture);

/// `text` with what stands between the marks of a headline replaced; bad data if it has no such marks. `what` names
/// the file.
Result<std::string> with_headline(std::string_view text, std::string_view replacement, const std::string& what);

}  // namespace schemamem
