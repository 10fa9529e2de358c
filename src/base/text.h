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

/// Where the first byte lies that is no UTF-8, or the length.
std::size_t valid_utf8_prefix(std::string_view text);

}  // namespace schemamem
