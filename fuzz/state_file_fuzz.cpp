// Any bytes as the state of a stream of one small model.
#include <cmath>
#include <vector>

#include "stream/state_file.h"
#include "support.h"
#include "support/tiny_training.h"

namespace {

using namespace schemamem;

std::shared_ptr<const LoadedModel<float>> small_model() {
  const auto model = test::tiny_model();
  std::vector<float> weights(model->parameters().size());
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i % 17) / 16 - 0.5F;
  return LoadedModel<float>::make(model->spec(), weights).value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto model = small_model();
  const auto state = parse_state<float>(fuzz::bytes_of(data, size), "fuzz", *model);
  if (!fuzz::accepted(state, {ErrorKind::kBadData})) return 0;
  fuzz::must(!model->model().fault(*state));
  const auto bytes = encode_state(*model, *state);
  const auto again = parse_state<float>(bytes.span(), "again", *model);
  fuzz::must(again && std::ranges::equal(encode_state(*model, *again).span(), bytes.span()));
  return 0;
}
