#pragma once

#include <nlohmann/json.hpp>

#include "report/ledger.h"

namespace schemamem {

/// The accuracies of Ledger::others(), as one of the page's tables: a row for each group of each scenario and length.
nlohmann::ordered_json other_runs_table(const Ledger& ledger);

}  // namespace schemamem
