#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "report/ledger.h"

namespace schemamem {

/// The paper's tables and two of our own (drops, half-lives), as the page's `tables`.
nlohmann::ordered_json page_tables(const Ledger& ledger, const std::vector<std::uint64_t>& eval_seeds);

}  // namespace schemamem
