// Any text as an evaluation record, and as what an earlier `paper all` found.
#include "paper/diff.h"
#include "record/evaluation_record.h"
#include "support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace schemamem;
  const std::string_view text = fuzz::text_of(data, size);
  const auto record = parse_evaluation(text, "fuzz");
  if (fuzz::accepted(record, {ErrorKind::kBadData})) {
    const auto again = parse_evaluation(encode_evaluation(*record), "again");
    fuzz::must(again && *again == *record);
  }
  const auto cells = parse_diff(text, "fuzz");
  if (fuzz::accepted(cells, {ErrorKind::kBadData})) {
    const std::string written = diff_json(*cells);
    const auto again = parse_diff(written, "again");
    fuzz::must(again && diff_json(*again) == written);
  }
  return 0;
}
