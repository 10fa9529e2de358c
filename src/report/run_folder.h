#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "report/ledger.h"

namespace schemamem {

/// From the texts of its files: the run that a manifest is about, without its end and its evaluations; and the end.
/// Names of another alphabet than base/name.h allows are bad data, since they go into tables, scripts and pages.
/// `is_option` is as for Ledger::read().
Result<LedgerRun> parse_ledger_run(std::string_view manifest, const std::filesystem::path& folder,
                                   const Ledger::IsOption& is_option = {});
Result<RunEnd> parse_run_end(std::string_view result, const std::string& what);

/// A folder of a run with its end and its evaluations, which must be of this run and of its weights.
Result<LedgerRun> read_run_folder(const std::filesystem::path& folder, const Ledger::IsOption& is_option = {});
/// A folder of a guest with its evaluations. One that bears the name of one of `models` is bad data.
Result<LedgerRun> read_guest_folder(const std::filesystem::path& folder, const std::vector<std::string>& models);

}  // namespace schemamem
