// Any bytes as a model file.
#include "stream/loaded_model.h"
#include "support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace schemamem;
  const auto model = LoadedModel<float>::parse(fuzz::bytes_of(data, size), "fuzz");
  if (!fuzz::accepted(model, {ErrorKind::kBadData})) return 0;
  const auto again = LoadedModel<float>::parse((*model)->encode().span(), "again");
  fuzz::must(again && (*again)->fingerprint() == (*model)->fingerprint() && (*again)->spec() == (*model)->spec());
  return 0;
}
