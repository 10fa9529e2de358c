#include "base/name.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace schemamem {
namespace {

/// Of ASCII, in every locale.
bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool belongs_to_name(char c) { return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-'; }

}  // namespace

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestName && is_letter_or_digit(text.front()) &&
         std::all_of(text.begin(), text.end(), belongs_to_name);
}

Status check_name(std::string_view text, std::string_view what) {
  if (is_name(text)) return Done{};
  return Error(ErrorKind::kBadData,
               fmt::format("{} must be a name: at most {} of the characters a-z A-Z 0-9 . _ -, the first a letter or a "
                           "digit; found {}",
                           what, kLongestName, quote(text)));
}

}  // namespace schemamem
