// Any text as the manifest of a run: what is accepted names a run that can be trained.
#include "support.h"
#include "train/run_record.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace schemamem;
  const auto run = parse_run(fuzz::text_of(data, size), "fuzz");
  if (!fuzz::accepted(run, {ErrorKind::kBadData})) return 0;
  fuzz::must(!run_name(run->request).empty());
  fuzz::must(!make_curriculum(run->request).empty());
  return 0;
}
