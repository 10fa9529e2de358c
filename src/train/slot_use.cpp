#include "train/slot_use.h"

#include <algorithm>
#include <numbers>
#include <utility>

namespace schemamem {
namespace {

/// Mean square of the angles to zero, the shorter way round the circle.
double mean_square_turn(std::span<const float> phases) {
  double sum = 0;
  for (const float phase : phases) {
    const double turn = std::min<double>(phase, 2 * std::numbers::pi - phase);
    sum += turn * turn;
  }
  return sum / static_cast<double>(phases.size());
}

}  // namespace

SlotCounter::SlotCounter(const SequenceModel<float>& model) : model_(model) {
  for (const TensorSpec& tensor : model.state().tensors()) {
    if (tensor.name.ends_with(".phase")) phases_.push_back(&tensor);
  }
  used_.resize(phases_.size());
  if (phases_.empty()) return;
  state_ = model.empty_state();
  scratch_ = model.make_scratch();
}

void SlotCounter::add(const Folded<float>& folded, View<const float, 2> x, View<float, 2> logits) {
  if (phases_.empty()) return;
  model_.reset(state_);
  model_.refresh(folded, state_, *scratch_);
  model_.advance(folded, x, state_, *scratch_, logits);
  for (std::size_t layer = 0; layer < phases_.size(); ++layer) {
    const TensorSpec& tensor = *phases_[layer];
    const std::size_t slots = tensor.shape.at(0), width = tensor.shape.at(1);
    for (std::size_t slot = 0; slot < slots; ++slot) {
      if (mean_square_turn(state_.values.span().subspan(tensor.offset + slot * width, width)) >= kUsedTurn * kUsedTurn)
        ++used_[layer];
    }
  }
  ++episodes_;
}

std::vector<double> SlotCounter::take() {
  if (episodes_ == 0) return {};
  std::vector<double> mean = used_;
  for (double& layer : mean) layer /= static_cast<double>(episodes_);
  std::fill(used_.begin(), used_.end(), 0);
  episodes_ = 0;
  return mean;
}

}  // namespace schemamem
