#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace schemamem {

/// Where a text stops being JSON, and why.
struct JsonSyntaxFault {
  std::size_t byte = 0;  // counted from 1
  std::string reason;
};

/// The events of a JSON text, in their order, for a handler with the functions of nlohmann's SAX interface; an event
/// that the handler answers with false ends the walk. Nothing is built and nothing recurs, so a handler that bounds
/// what it keeps bounds the whole. This is the only place where the project parses JSON: `parse_json` stands on it, and
/// so does the header of safetensors files, whose grammar is stricter than any limit.
template <class Handler>
bool walk_json(std::string_view text, Handler& handler) {
  return nlohmann::json::sax_parse(text.begin(), text.end(), &handler);
}

inline JsonSyntaxFault json_syntax_fault(std::size_t byte, const nlohmann::json::exception& exception) {
  // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ...": the tail tells something.
  std::string_view detail = exception.what();
  for (const std::string_view end : {"] ", "column ", ": "}) {
    if (const std::size_t at = detail.find(end); at != std::string_view::npos) detail.remove_prefix(at + end.size());
  }
  return {byte, printable(detail)};
}

}  // namespace schemamem
