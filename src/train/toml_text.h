#pragma once

#include <toml++/toml.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace schemamem {

/// The table that a text is. What is not UTF-8 or not TOML is bad data; `file` names the text in messages.
Result<toml::table> parse_toml(std::string_view text, const std::string& file);
/// A value as TOML writes it.
std::string toml_text(const toml::node& node);

}  // namespace schemamem
