#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace schemamem {

/// A whole number in [least, most], written in decimal digits with an optional minus sign and nothing else. `what`
/// names it in the message: "--delay".
Result<std::int64_t> parse_integer(std::string_view text, std::string_view what, std::int64_t least, std::int64_t most);

/// A number in [least, below), written in decimal digits with an optional point and exponent and nothing else.
Result<double> parse_decimal(std::string_view text, std::string_view what, double least, double below);

}  // namespace schemamem
