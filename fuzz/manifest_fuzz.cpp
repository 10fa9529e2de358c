// Any text as the manifest of a run, as training and as tables read it: what is accepted names a run that can be
// trained.
#include "base/name.h"
#include "report/run_folder.h"
#include "support.h"
#include "train/run_record.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace schemamem;
  const std::string_view text = fuzz::text_of(data, size);
  const auto shown = parse_ledger_run(text, "fuzz", [](std::string_view, std::string_view) { return true; });
  if (fuzz::accepted(shown, {ErrorKind::kBadData})) fuzz::must(static_cast<bool>(check_name(shown->recipe, "recipe")));
  const auto run = parse_run(text, "fuzz");
  if (!fuzz::accepted(run, {ErrorKind::kBadData})) return 0;
  fuzz::must(!run_name(run->request).empty());
  fuzz::must(!make_curriculum(run->request).empty());
  return 0;
}
