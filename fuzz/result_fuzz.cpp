// Any text as the result of a run.
#include <cmath>

#include "support.h"
#include "train/run_record.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace schemamem;
  const auto result = parse_result(fuzz::text_of(data, size), "fuzz");
  if (!fuzz::accepted(result, {ErrorKind::kBadData})) return 0;
  fuzz::must(result->steps >= 0 && std::isfinite(result->seconds) && result->was_done);
  for (const PassedStage& stage : result->passed) fuzz::must(stage.step >= 0 && std::isfinite(stage.lowest));
  return 0;
}
