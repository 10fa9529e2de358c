#pragma once

#include <memory>
#include <vector>

#include "models/model.h"

namespace schemamem {

/// Counts the memory slots that SchemaMem uses. A slot of a layer is used by some inputs when the phases S that they
/// committed to it are turned, as a root mean square over the width, by at least kUsedTurn radians from zero.
class SlotCounter {
 public:
  static constexpr double kUsedTurn = 0.1;

  /// The model outlives the counter.
  explicit SlotCounter(const SequenceModel<float>& model);

  /// Adds the inputs of an episode, read as a stream in mode recurrent; logits is [T, outputs] and is overwritten. A
  /// model without slots is left alone.
  void add(const Folded<float>& folded, View<const float, 2> x, View<float, 2> logits);

  /// The number of used slots of each layer, a mean over the episodes since the last call, which it forgets. Empty
  /// when there were none.
  std::vector<double> take();

 private:
  const SequenceModel<float>& model_;
  std::vector<const TensorSpec*> phases_;  // [slots, width] of each layer
  StreamState<float> state_;
  std::unique_ptr<Tape<float>> scratch_;
  std::vector<double> used_;  // summed over episodes
  std::size_t episodes_ = 0;
};

}  // namespace schemamem
