#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace schemamem {

/// How many insertions, deletions, replacements and swaps of neighbours turn `a` into `b`, upper and lower case being
/// the same letter.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known word nearest to `word`, if it is near enough to be a typo of it. The first wins among equals.
std::optional<std::string> closest(std::string_view word, std::span<const std::string> known);

/// ` Did you mean "retention"?`, or nothing: the last sentence of a message about an unknown word.
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

}  // namespace schemamem
