#pragma once

#include <memory>
#include <vector>

#include "models/registry.h"
#include "stream/loaded_model.h"
#include "support/tiny_training.h"

namespace schemamem::fuzz {

/// A model of A3V3 so small that its arithmetic costs less than what is tested around it.
inline std::shared_ptr<const LoadedModel<float>> small_model() {
  const ModelSpec spec = resolve_model(test::tiny_choice(), {.inputs = 7, .outputs = 3}).value();
  const auto model = make_model<float>(spec).value();
  std::vector<float> weights(model->parameters().size());
  model->initialise("ours", 1, {weights.data(), {weights.size()}});
  return LoadedModel<float>::make(spec, weights, {}, {{"task", "address-value"}, {"setting", "A3V3"}}).value();
}

}  // namespace schemamem::fuzz
