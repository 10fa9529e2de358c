#pragma once

#include <memory>

#include "stream/loaded_model.h"
#include "support/every_model.h"

namespace schemamem::test {

template <class T>
std::shared_ptr<const LoadedModel<T>> loaded(const ModelSpec& spec, EngineChoice choice = {}, std::uint64_t seed = 1) {
  const auto weights = test_weights(*make_model<T>(spec, choice).value(), seed);
  return LoadedModel<T>::make(spec, weights, choice, {{"setting", "test"}}).value();
}

}  // namespace schemamem::test
