#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace schemamem {

/// JSON that the script element of a page cannot mistake for its own end or for a comment.
std::string for_script(std::string_view json);
/// Bytes in base64, with its padding.
std::string base64(std::span<const std::byte> bytes);

}  // namespace schemamem
