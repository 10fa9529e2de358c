#include "memory/interventions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <utility>

#include "base/rng.h"
#include "stream/state_view.h"

namespace schemamem {
namespace {

void fill_zero(StreamState<float>& state, const TensorSpec& tensor) {
  const auto part = state.values.span().subspan(tensor.offset, tensor.size);
  std::fill(part.begin(), part.end(), 0.0F);
}

double root_mean_square(std::span<const float> numbers) {
  double sum = 0;
  for (const float one : numbers) sum += static_cast<double>(one) * static_cast<double>(one);
  return std::sqrt(sum / static_cast<double>(numbers.size()));
}

/// An angle in [0, 2 pi] as a float; rounding may reach the end.
float turned(double angle) {
  const double turn = std::fmod(angle, 2 * std::numbers::pi);
  return static_cast<float>(turn < 0 ? turn + 2 * std::numbers::pi : turn);
}

}  // namespace

Status clear_memory(AddressMemory& memory, std::optional<std::size_t> layer) {
  const Layout& layout = memory.model()->model().state();
  const auto tensors = held_tensors(layout);
  if (layer && *layer >= tensors.size()) {
    return Error(ErrorKind::kUsage,
                 fmt::format("there is no layer {}; they are numbered from 0 to {}", *layer, tensors.size() - 1));
  }
  StreamState<float> state = memory.state();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (layer && *layer != i) continue;
    fill_zero(state, *tensors[i]);
    if (const TensorSpec* const pending = pending_of(layout, *tensors[i])) fill_zero(state, *pending);
  }
  memory.set_state(std::move(state));
  return Done{};
}

Status add_noise(AddressMemory& memory, double amount, std::uint64_t seed) {
  if (!(amount >= 0) || !std::isfinite(amount))
    return Error(ErrorKind::kUsage, fmt::format("noise of {}; expected at least 0, and a finite number", amount));
  const SequenceModel<float>& model = memory.model()->model();
  StreamState<float> state = memory.state();
  std::uint64_t index = 0;
  for (const TensorSpec* tensor : held_tensors(model.state())) {
    Rng random = Rng::stream(seed, Purpose::kNoise, index++);
    const auto part = state.values.span().subspan(tensor->offset, tensor->size);
    const bool phases = tensor->role == Role::kPhases;
    const double scale = phases ? amount : amount * root_mean_square(part);
    for (float& one : part) {
      const double noisy = static_cast<double>(one) + scale * random.normal();
      one = phases ? turned(noisy) : static_cast<float>(noisy);
    }
  }
  if (const auto fault = model.fault(state)) {
    return Error(
        ErrorKind::kUsage,
        "noise acts on what was committed, and nothing was yet: write something and ask once (" + *fault + ")");
  }
  memory.set_state(std::move(state));
  return Done{};
}

}  // namespace schemamem
