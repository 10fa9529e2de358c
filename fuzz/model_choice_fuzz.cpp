// Any text as what --model takes: schemamem:slots=64.
#include "models/registry.h"
#include "support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace schemamem;
  const auto choice = parse_model_choice(fuzz::text_of(data, size));
  if (!fuzz::accepted(choice, {ErrorKind::kUsage})) return 0;
  const auto again = parse_model_choice(choice->text());
  fuzz::must(again && *again == *choice);
  const auto spec = resolve_model(*choice, {.inputs = 7, .outputs = 3});
  if (!fuzz::accepted(spec, {ErrorKind::kUsage})) return 0;
  const auto model = make_model<float>(*spec);
  fuzz::must(!model || (*model)->parameters().size() > 0);
  fuzz::accepted(model, {ErrorKind::kUsage});
  return 0;
}
