#include "base/parse.h"

#include <fmt/format.h>

#include <charconv>

namespace schemamem {

Result<std::int64_t> parse_integer(std::string_view text, std::string_view what, std::int64_t least,
                                   std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = end == text.data() + text.size() && error != std::errc::invalid_argument;
  if (!number)
    return Error(ErrorKind::kUsage,
                 fmt::format("{} must be a whole number from {} to {}, found {}.", what, least, most, in_quotes(text)));
  const bool too_long = error == std::errc::result_out_of_range;
  const bool too_small = too_long ? text.front() == '-' : value < least;
  if (too_small)
    return Error(ErrorKind::kUsage, fmt::format("{} must be at least {}, found {}.", what, least, in_quotes(text)));
  if (too_long || value > most)
    return Error(ErrorKind::kUsage, fmt::format("{} must be at most {}, found {}.", what, most, in_quotes(text)));
  return value;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string result = "\"";
  for (const char c : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F)
      result += fmt::format("\\x{:02x}", byte);
    else
      result += c;
  }
  return result + (text.size() > kLongest ? "...\"" : "\"");
}

}  // namespace schemamem
