#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"

namespace schemamem {

inline constexpr std::size_t kLongestName = 64;

/// Whether `text` is a name: 1 to kLongestName letters, digits, dots, underscores and hyphens of ASCII, the first a
/// letter or digit. Names of models, tasks, settings, recipes, scenarios and groups go from files into paths, scripts,
/// pages and terminals; a name can do nothing in any of them.
bool is_name(std::string_view text);

/// Refuses, as bad data, what is no name; `what` says whose it is: "run.json: recipe".
Status check_name(std::string_view text, std::string_view what);

}  // namespace schemamem
