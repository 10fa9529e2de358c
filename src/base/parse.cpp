#include "base/parse.h"

#include <fmt/format.h>

#include <charconv>

#include "base/text.h"

namespace schemamem {

Result<std::int64_t> parse_integer(std::string_view text, std::string_view what, std::int64_t least,
                                   std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = end == text.data() + text.size() && error != std::errc::invalid_argument;
  if (!number)
    return Error(ErrorKind::kUsage,
                 fmt::format("{} must be a whole number from {} to {}, found {}.", what, least, most, quote(text)));
  const bool too_long = error == std::errc::result_out_of_range;
  const bool too_small = too_long ? text.front() == '-' : value < least;
  if (too_small)
    return Error(ErrorKind::kUsage, fmt::format("{} must be at least {}, found {}.", what, least, quote(text)));
  if (too_long || value > most)
    return Error(ErrorKind::kUsage, fmt::format("{} must be at most {}, found {}.", what, most, quote(text)));
  return value;
}

Result<double> parse_decimal(std::string_view text, std::string_view what, double least, double below) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= least && value < below) return value;
  return Error(ErrorKind::kUsage, fmt::format("{} must be a number of at least {} and below {}, found {}.", what, least,
                                              below, quote(text)));
}

}  // namespace schemamem
