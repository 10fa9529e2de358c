#include "stream/state_view.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

namespace schemamem {
namespace {

using Numbers = std::vector<double>;

/// An angle in [0, 2 pi).
double turn_of(double angle) {
  const double turned = std::fmod(angle, 2 * std::numbers::pi);
  return turned < 0 ? turned + 2 * std::numbers::pi : turned;
}

/// How far the farthest of some angles in [0, 2 pi) is from zero, the shorter way round the circle.
double largest_turn(std::span<const double> angles) {
  double largest = 0;
  for (const double angle : angles) largest = std::max(largest, std::min(angle, 2 * std::numbers::pi - angle));
  return largest;
}

double norm(std::span<const double> numbers) {
  double sum = 0;
  for (const double one : numbers) sum += one * one;
  return std::sqrt(sum);
}

/// The largest singular value of a matrix [rows, columns], by power iteration: enough digits to be looked at.
double largest_singular_value(std::span<const double> matrix, std::size_t columns) {
  constexpr int kIterations = 30;
  Numbers vector(columns, 1 / std::sqrt(static_cast<double>(columns)));
  double value = 0;
  for (int i = 0; i < kIterations; ++i) {
    Numbers next(columns);
    for (std::size_t row = 0; row < matrix.size(); row += columns) {
      double along = 0;
      for (std::size_t c = 0; c < columns; ++c) along += matrix[row + c] * vector[c];
      for (std::size_t c = 0; c < columns; ++c) next[c] += matrix[row + c] * along;
    }
    const double length = norm(next);
    if (length == 0) return 0;
    for (std::size_t c = 0; c < columns; ++c) vector[c] = next[c] / length;
    value = std::sqrt(length);
  }
  return value;
}

template <class T>
std::span<const T> part(const StreamState<T>& state, const TensorSpec& tensor) {
  return state.values.span().subspan(tensor.offset, tensor.size);
}

/// The phases of a layer as they will be once what is pending was committed.
template <class T>
Numbers phases_of(const Layout& layout, const TensorSpec& tensor, const StreamState<T>& state) {
  const auto committed = part(state, tensor);
  Numbers phases(committed.begin(), committed.end());
  if (const TensorSpec* const waiting = pending_of(layout, tensor)) {
    const auto pending = part(state, *waiting);
    for (std::size_t i = 0; i < phases.size(); ++i) phases[i] += static_cast<double>(pending[i]);
  }
  std::transform(phases.begin(), phases.end(), phases.begin(), turn_of);
  return phases;
}

template <class T>
HeldLayer slots_of(const Layout& layout, const TensorSpec& tensor, const StreamState<T>& state,
                   const StreamState<T>* before) {
  HeldLayer layer{.name = tensor.name, .phases = true, .places = std::vector<HeldPlace>(tensor.shape.at(0))};
  const std::size_t width = tensor.shape.at(1);
  const Numbers phases = phases_of(layout, tensor, state);
  Numbers difference = phases;
  if (before != nullptr) {
    const Numbers earlier = phases_of(layout, tensor, *before);
    for (std::size_t i = 0; i < phases.size(); ++i) difference[i] = turn_of(phases[i] - earlier[i]);
  }
  for (std::size_t slot = 0; slot < layer.places.size(); ++slot) {
    const auto turn = [&](const Numbers& angles) {
      return largest_turn(std::span(angles).subspan(slot * width, width));
    };
    layer.places[slot].depth = turn(phases);
    if (before != nullptr) layer.places[slot].change = turn(difference);
  }
  return layer;
}

template <class T>
HeldLayer heads_of(const TensorSpec& tensor, const StreamState<T>& state, const StreamState<T>* before) {
  HeldLayer layer{.name = tensor.name, .places = std::vector<HeldPlace>(tensor.shape.at(0))};
  const auto numbers = part(state, tensor);
  const std::size_t size = tensor.size / layer.places.size();
  for (std::size_t head = 0; head < layer.places.size(); ++head) {
    Numbers matrix(numbers.begin() + head * size, numbers.begin() + (head + 1) * size);
    HeldPlace& place = layer.places[head];
    place.depth = norm(matrix);
    if (place.depth > 0) {
      const double share = place.depth / largest_singular_value(matrix, tensor.shape.back());
      place.directions = share * share;
    }
    if (before == nullptr) continue;
    const auto earlier = part(*before, tensor).subspan(head * size, size);
    for (std::size_t i = 0; i < size; ++i) matrix[i] -= static_cast<double>(earlier[i]);
    place.change = norm(matrix);
  }
  return layer;
}

}  // namespace

std::vector<const TensorSpec*> held_tensors(const Layout& state) {
  std::vector<const TensorSpec*> phases, matrices;
  for (const TensorSpec& tensor : state.tensors()) {
    if (tensor.role == Role::kPhases) phases.push_back(&tensor);
    if (tensor.shape.size() == 3) matrices.push_back(&tensor);
  }
  return phases.empty() ? matrices : phases;
}

const TensorSpec* pending_of(const Layout& state, const TensorSpec& phases) {
  const std::string waiting = phases.name.substr(0, phases.name.rfind('.') + 1) + "pending";
  return state.contains(waiting) ? &state.find(waiting) : nullptr;
}

template <class T>
std::vector<HeldLayer> look_inside(const SequenceModel<T>& model, const StreamState<T>& state,
                                   const StreamState<T>* before) {
  const Layout& layout = model.state();
  require(state.values.size() == layout.size() && (before == nullptr || before->values.size() == layout.size()),
          "look_inside: the states are of this model");
  std::vector<HeldLayer> layers;
  for (const TensorSpec* tensor : held_tensors(layout)) {
    const bool phases = tensor->role == Role::kPhases;
    layers.push_back(phases ? slots_of(layout, *tensor, state, before) : heads_of(*tensor, state, before));
  }
  return layers;
}

template std::vector<HeldLayer> look_inside(const SequenceModel<float>&, const StreamState<float>&,
                                            const StreamState<float>*);
template std::vector<HeldLayer> look_inside(const SequenceModel<double>&, const StreamState<double>&,
                                            const StreamState<double>*);

}  // namespace schemamem
