#include "train/toml_text.h"

#include <fmt/format.h>

#include <sstream>

#include "base/text.h"

namespace schemamem {

Result<toml::table> parse_toml(std::string_view text, const std::string& file) {
  const auto bad = [&](const std::string& message) {
    return Error(ErrorKind::kBadData, fmt::format("{}: {}", file, message));
  };
  if (valid_utf8_prefix(text) != text.size()) return bad("this is not UTF-8 text; write it as plain text");
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    return bad(fmt::format("line {}, column {}: {}", error.source().begin.line, error.source().begin.column,
                           printable(error.description())));
  }
}

std::string toml_text(const toml::node& node) {
  std::ostringstream text;
  node.visit([&](const auto& value) { text << value; });
  return text.str();
}

}  // namespace schemamem
