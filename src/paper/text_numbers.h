#pragma once

#include <optional>
#include <string>
#include <vector>

#include "paper/diff.h"
#include "report/table.h"

namespace schemamem {

/// A number in the paper's running text, and ours.
struct TextNumber {
  std::string place{};  // where the paper says it
  std::string what{};   // what it is a number of
  DiffCell cell{};      // paper.mean is the paper's number; paper.sd is there only if the paper tells a spread
  int decimals = 2;
  std::string unit{};  // "%", "settings", "checkpoints", "steps"
  int of = 0;          // for counts: how many of ours there are to count
  int whole = 0;       // and how many the paper counted
  /// A number whose spread the paper does not tell, and a count of fewer than the paper's, is shown and not judged.
  bool judged() const { return whole > 0 ? of == whole : cell.paper.sd.has_value(); }
};

/// Every number of the results section and of the appendices' running text, in their order.
std::vector<TextNumber> text_numbers(const Ledger& ledger, const Selection& selection);
Table text_number_table(const Ledger& ledger, const Selection& selection);

}  // namespace schemamem
