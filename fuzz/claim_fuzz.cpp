// Any text as the claim of a run.
#include "support.h"
#include "system/claim_watch.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace schemamem;
  const auto claim = parse_claim(fuzz::text_of(data, size), "fuzz");
  if (!fuzz::accepted(claim, {ErrorKind::kBadData})) return 0;
  fuzz::must(claim->beat.count() > 0 && claim->beat.count() <= 10'000);
  for (const char letter : claim->who()) fuzz::must(letter >= ' ' && letter <= '~');
  static_cast<void>(is_alive(claim->owner));
  return 0;
}
