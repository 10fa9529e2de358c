// Any text as the plan of a sweep.
#include "support.h"
#include "sweep/plan.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace schemamem;
  const auto plan = parse_sweep(fuzz::text_of(data, size), "fuzz");
  if (!fuzz::accepted(plan, {ErrorKind::kBadData})) return 0;
  const std::string text = sweep_toml(*plan);
  const auto again = parse_sweep(text, "again");
  fuzz::must(again && sweep_toml(*again) == text);
  for (const SweepCell& cell : sweep_cells(*plan)) fuzz::must(!cell.name.empty());
  return 0;
}
