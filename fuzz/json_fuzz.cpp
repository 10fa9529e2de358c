// Any text at the door for JSON: what comes in is within the limits and the same after it was written and read again.
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "support.h"

namespace {

using namespace schemamem;

/// Reads a value in every way; none may do more than remember a fault.
void touch(const JsonField& field) {
  field.text();
  field.number();
  field.natural();
  field.flag();
  field.counts();
  for (const auto& item : field.items()) touch(item);
  for (const auto& [name, member] : field.members()) {
    fuzz::must(field.has(name));
    touch(member);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto json = parse_json(fuzz::text_of(data, size), "fuzz");
  if (!fuzz::accepted(json, {ErrorKind::kBadData})) return 0;
  touch(*json);
  const auto again = parse_json(json->raw().dump(), "again", {.bytes = std::size_t{1} << 24});
  fuzz::must(again && again->raw() == json->raw());
  return 0;
}
