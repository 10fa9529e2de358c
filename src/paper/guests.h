#pragma once

#include <string>
#include <vector>

#include "paper/diff.h"
#include "report/gnuplot_script.h"
#include "report/table.h"

namespace schemamem {

/// Models of other people beside ours, in the settings that they were scored in. Both are empty, without a name, where
/// there is no guest in the ledger.
///
/// The table has parameters and the named columns at delays 384 and 1,536, ours under the selected recipe.
Table guest_table(const Ledger& ledger, const Selection& selection);
/// Accuracy over delay, one row of panels a setting. Guests beyond the sixth are named in the legend's place.
Figure guest_figure(const Ledger& ledger, const Selection& selection);

/// The settings that guests were scored in, those of the paper first and in its order.
std::vector<std::string> guest_settings(const Ledger& ledger);

/// A model of a table: ours, as the paper calls it, or a guest.
struct ShownModel {
  std::string name, title;
  bool guest = false;
};
/// The paper's models, then the guests by name.
std::vector<ShownModel> shown_models(const Ledger& ledger);

}  // namespace schemamem
