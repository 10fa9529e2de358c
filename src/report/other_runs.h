#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "report/ledger.h"

namespace schemamem {

/// The accuracies of Ledger::others(), and of those runs() that `belongs` says have no counterpart either, as one of
/// the page's tables: a row for each group of each scenario and length.
nlohmann::ordered_json other_runs_table(const Ledger& ledger, const std::function<bool(const LedgerRun&)>& belongs);

}  // namespace schemamem
