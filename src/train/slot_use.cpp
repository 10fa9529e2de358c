#include "train/slot_use.h"

#include <algorithm>
#include <numbers>

#include "stream/stream_reader.h"

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
    if (tensor.role == Role::kPhases) phases_.push_back(&tensor);
  }
  used_.resize(phases_.size());
}

void SlotCounter::add(const Folded<float>& folded, const StreamRows<float>& rows, View<float, 2> logits) {
  if (!has_slots()) return;
  StreamReader<float> reader(model_, folded, MarkRule::kNone);
  reader.push(rows, logits);
  for (std::size_t layer = 0; layer < phases_.size(); ++layer) {
    const TensorSpec& tensor = *phases_[layer];
    const std::size_t slots = tensor.shape.at(0), width = tensor.shape.at(1);
    for (std::size_t slot = 0; slot < slots; ++slot) {
      if (mean_square_turn(reader.state().values.span().subspan(tensor.offset + slot * width, width)) >=
          kUsedTurn * kUsedTurn)
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
