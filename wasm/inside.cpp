#include "inside.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "stream/state_view.h"

namespace schemamem {
namespace {

/// "layers.0" of "layers.0.phase".
std::string layer_of(const TensorSpec& tensor) { return tensor.name.substr(0, tensor.name.rfind('.')); }
std::string leaf_of(const TensorSpec& tensor) { return tensor.name.substr(tensor.name.rfind('.') + 1); }

InsidePart matrix(const TensorSpec& tensor, InsidePart::From from, bool phase) {
  return {.name = leaf_of(tensor),
          .rows = tensor.shape.at(0),
          .columns = tensor.shape.at(1),
          .phase = phase,
          .from = from,
          .source = tensor.offset,
          .increment = {}};
}

/// A difference of two angles, the shorter way round.
float turn(float now, float before) {
  constexpr auto kTurn = static_cast<float>(2 * std::numbers::pi);
  return std::remainder(now - before, kTurn);
}

}  // namespace

InsidePart& InsidePlan::add(InsideLayer& layer, InsidePart part) {
  part.at = size_;
  size_ += part.size();
  layer.parts.push_back(std::move(part));
  return layer.parts.back();
}

InsidePlan::InsidePlan(const LoadedModel<float>& model) {
  const Layout& state = model.model().state();
  const Layout& weights = model.model().parameters();
  std::size_t held = 0;
  for (const TensorSpec* tensor : held_tensors(state)) {
    InsideLayer layer{.name = layer_of(*tensor), .read = {}, .write = {}, .parts = {}};
    if (tensor->role == Role::kPhases) {
      layer.slots = tensor->shape.at(0);
      layer.read = size_;
      layer.write = size_ + layer.slots;
      size_ += 2 * layer.slots;
      InsidePart& phases = add(layer, matrix(*tensor, InsidePart::From::kState, true));
      phases.held = held;
      phases.increment = size_;
      size_ += phases.size();
      if (const TensorSpec* const pending = pending_of(state, *tensor))
        add(layer, matrix(*pending, InsidePart::From::kState, true));
      for (const TensorSpec& weight : weights.tensors()) {
        if (weight.role == Role::kBank && layer_of(weight) == layer.name)
          add(layer, matrix(weight, InsidePart::From::kWeights, true));
      }
    } else {
      const std::size_t heads = tensor->shape.at(0), size = tensor->size / heads;
      for (std::size_t head = 0; head < heads; ++head) {
        add(layer, {.name = leaf_of(*tensor) + "." + std::to_string(head),
                    .rows = tensor->shape.at(1),
                    .columns = tensor->shape.at(2),
                    .source = tensor->offset + head * size,
                    .increment = {},
                    .held = held + head * size});
      }
    }
    held += tensor->size;
    layers_.push_back(std::move(layer));
  }
}

void InsidePlan::fill(const AddressMemory& memory, std::span<float> numbers) const {
  require(numbers.size() == size_, "InsidePlan::fill: there is room for all numbers");
  const std::span<const float> state = memory.state().values.span(), weights = memory.model()->weights();
  const std::span<const float> before = memory.watched() ? memory.watched()->before() : std::span<const float>();
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const InsideLayer& layer = layers_[l];
    const auto weights_to = [&](std::optional<std::size_t> at, std::span<const float> from) {
      if (!at) return;
      const auto to = numbers.subspan(*at, layer.slots);
      std::fill(to.begin(), to.end(), 0.0F);
      std::copy(from.begin(), from.end(), to.begin());
    };
    const PlaceWeights<float> last = memory.place_weights(l);
    weights_to(layer.read, last.read);
    weights_to(layer.write, last.write);
    for (const InsidePart& part : layer.parts) {
      const auto source = (part.from == InsidePart::From::kState ? state : weights).subspan(part.source, part.size());
      std::copy(source.begin(), source.end(), numbers.begin() + static_cast<std::ptrdiff_t>(part.at));
      if (!part.increment) continue;
      const auto increment = numbers.subspan(*part.increment, part.size());
      std::fill(increment.begin(), increment.end(), 0.0F);
      if (before.empty()) continue;
      for (std::size_t i = 0; i < part.size(); ++i) increment[i] = turn(source[i], before[part.held + i]);
    }
  }
}

}  // namespace schemamem
