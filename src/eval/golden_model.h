#pragma once

#include <string>
#include <vector>

#include "eval/golden_compare.h"
#include "models/model.h"

namespace schemamem {

/// Inputs, weights and upstream gradients of a golden file at model level.
template <class T>
struct GoldenEpisodes {
  std::size_t batch = 0, tokens = 0;
  std::vector<T> x, d_logits, weights;

  View<const T, 3> inputs(const SequenceModel<T>& model) const {
    return {x.data(), {batch, tokens, model.config().inputs}};
  }
  View<const T, 3> upstream(const SequenceModel<T>& model) const {
    return {d_logits.data(), {batch, tokens, model.config().outputs}};
  }
};
/// Every shape is checked against the model.
template <class T>
Result<GoldenEpisodes<T>> read_episodes(const GoldenFile& file, const SequenceModel<T>& model);

/// Runs forward, backward and, unless in full-history mode, the stream; compares logits, every gradient and, where the
/// file has them, the phases after the last commit.
template <class T>
Result<GoldenReport> verify_model(const GoldenFile& file, const SequenceModel<T>& model,
                                  const GoldenEpisodes<T>& episodes, Mode mode, const GoldenTolerances& tolerance,
                                  const std::string& what);

}  // namespace schemamem
