#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace schemamem {

/// A whole number in [least, most], written in decimal digits with an optional minus sign and nothing else. `what`
/// names it in the message: "--delay".
Result<std::int64_t> parse_integer(std::string_view text, std::string_view what, std::int64_t least, std::int64_t most);

/// `text` in double quotes, shortened and with unprintable bytes escaped, fit for one line of a message.
std::string in_quotes(std::string_view text);

}  // namespace schemamem
