#pragma once

#include <vector>

#include "models/model.h"

namespace schemamem {

/// Counts the memory slots that a model uses, where its state has phases of slots. A slot of a layer is used by some
/// inputs when the phases S that they committed to it are turned, as a root mean square over the width, by at least
/// kUsedTurn radians from zero.
class SlotCounter {
 public:
  static constexpr double kUsedTurn = 0.1;

  /// The model outlives the counter.
  explicit SlotCounter(const SequenceModel<float>& model);
  bool has_slots() const { return !phases_.empty(); }

  /// Adds an episode, read as a stream in mode recurrent; logits is [T, outputs] and is overwritten.
  void add(const Folded<float>& folded, const StreamRows<float>& rows, View<float, 2> logits);

  /// The number of used slots of each layer, a mean over the episodes since the last call, which it forgets. Empty
  /// when there were none.
  std::vector<double> take();

 private:
  const SequenceModel<float>& model_;
  std::vector<const TensorSpec*> phases_;  // [slots, width] of each layer
  std::vector<double> used_;               // summed over episodes
  std::size_t episodes_ = 0;
};

}  // namespace schemamem
