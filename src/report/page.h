#pragma once

#include <string>

#include "base/result.h"
#include "report/ledger.h"

namespace schemamem {

/// What the page shows, as JSON (docs/formats.md, "The report page"): claims, tables, curves, runs, for every recipe
/// and every seed of evaluation episodes in the ledger. Reads the manifests of the runs once more, to show them as they
/// are.
Result<std::string> page_payload(const Ledger& ledger, const std::string& command);

/// The page itself: one file that loads nothing, whose bytes depend on the ledger, `command` and the program alone.
Result<std::string> report_page(const Ledger& ledger, const std::string& command);

}  // namespace schemamem
