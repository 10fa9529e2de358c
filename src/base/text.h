#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace schemamem {

/// Text from outside, fit for a message: printable ASCII as it is, the rest as \xNN, so that no file can write control
/// sequences to a terminal; a long tail is cut.
std::string printable(std::string_view text);
/// The same between quotation marks.
std::string quote(std::string_view text);

/// Text of a file, fit for one line of a terminal: UTF-8 as it is and uncut, but control
/// characters, line ends among them, marks that turn the direction of writing, and bytes that are no UTF-8 as \xNN.
std::string escaped(std::string_view text);

/// A page of a terminal.
inline constexpr std::size_t kPageWidth = 80;
/// Columns that text takes on a terminal, one a character of UTF-8.
std::size_t columns(std::string_view text);
/// How words are laid out.
struct Wrapping {
  std::size_t at = 0;         // the column at which the first line begins
  std::size_t indent = 0;     // blanks before every other line
  std::string_view broken{};  // what ends a line that goes on
  std::size_t width = kPageWidth;
};
/// The words of a text in lines that are no wider than a page, the last with its end. A longer word has its own line.
std::string wrapped(std::string_view text, const Wrapping& how = {});

/// Where the first byte lies that is no UTF-8, or the length.
std::size_t valid_utf8_prefix(std::string_view text);

}  // namespace schemamem
