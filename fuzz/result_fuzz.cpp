// Any text as the result of a run, as training and as tables read it.
#include <cmath>

#include "report/run_folder.h"
#include "support.h"
#include "train/run_record.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace schemamem;
  const std::string_view text = fuzz::text_of(data, size);
  const auto end = parse_run_end(text, "fuzz");
  if (fuzz::accepted(end, {ErrorKind::kBadData}))
    fuzz::must(end->steps >= 0 && end->tx_steps >= 0 && end->tx_steps + end->maint_steps == end->steps);
  const auto result = parse_result(text, "fuzz");
  if (!fuzz::accepted(result, {ErrorKind::kBadData})) return 0;
  fuzz::must(result->steps >= 0 && std::isfinite(result->seconds) && result->was_done);
  for (const PassedStage& stage : result->passed) fuzz::must(stage.step >= 0 && std::isfinite(stage.lowest));
  return 0;
}
