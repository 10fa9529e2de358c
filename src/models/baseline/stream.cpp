#include <algorithm>
#include <array>

#include "models/baseline/memory.h"
#include "models/checks.h"

namespace schemamem {

namespace {

/// Tokens that go through a layer together; the kernels give each row the same bits in any company.
constexpr std::size_t kStreamTokens = 16;

constexpr std::array<std::string_view, 1> kCounterNames{"tokens"};

}  // namespace

template <class T>
std::span<const std::string_view> BaselineModel<T>::counter_names() const {
  return kCounterNames;
}

template <class T>
StreamState<T> BaselineModel<T>::empty_state() const {
  return {.values = Buffer<T>(state_.size()), .counters = {}};
}

template <class T>
void BaselineModel<T>::reset(StreamState<T>& state) const {
  std::fill(state.values.begin(), state.values.end(), T(0));
  state.counters = {};
}

template <class T>
std::unique_ptr<Tape<T>> BaselineModel<T>::make_scratch() const {
  return std::make_unique<Memory>(*this, kStreamTokens, Memory::Use::kStream, ArenaPolicy{});
}

template <class T>
void BaselineModel<T>::advance(const Folded<T>& folded_base, const StreamRows<T>& given, StreamState<T>& state,
                               Tape<T>& scratch, View<T, 2> logits) const {
  require(state.values.size() == state_.size(), "BaselineModel: the state is laid out as state()");
  check_rows(*this, given, logits);
  const View<const T, 2> x = given.x;
  const T* const w = static_cast<const BaselineFolded<T>&>(folded_base).values.data();
  Memory& memory = static_cast<Memory&>(scratch);
  const T epsilon = mixer_->norm_epsilon();
  const auto floor = GateFloor<T>::of(state.floor);
  const LayerRows<T>& layer = memory.layers[0];
  const std::size_t state_size = mixer_->state().size();
  for (std::size_t first = 0; first < x.extent(0); first += kStreamTokens) {
    const std::size_t rows = std::min(kStreamTokens, x.extent(0) - first);
    T* const h = memory.end;  // the residual stream, in place
    read_in(w, memory, x.slice(first, rows), h);
    for (std::size_t l = 0; l < config_.layers; ++l) {
      const LayerPlaces& at = folded_places_.layers[l];
      kernels_.norm(sizes_, h, w + at.norm1, epsilon, rows, layer.u, layer.inverse1);
      mixer_->advance({.folded = {w + at.mixer, {mixer_->folded_size()}},
                       .u = {layer.u, {rows, sizes_.width}},
                       .state = {state.values.data() + l * state_size, {state_size}},
                       .blocks = memory.mixer_scratch,
                       .y = {h, {rows, sizes_.width}},
                       .floor = floor});
      if (!has_mlp()) continue;
      kernels_.norm(sizes_, h, w + at.norm2, epsilon, rows, layer.z, layer.inverse2);
      kernels_.mlp(sizes_, {.gate_up = w + at.gate_up,
                            .down = w + at.down,
                            .z = layer.z,
                            .gate_up_out = layer.gate_up,
                            .activated = layer.activated,
                            .y = h,
                            .rows = rows});
    }
    read_out(w, memory, rows, logits.slice(first, rows));
  }
  state.counters[0] += static_cast<std::int64_t>(x.extent(0));
}

template std::span<const std::string_view> BaselineModel<float>::counter_names() const;
template std::span<const std::string_view> BaselineModel<double>::counter_names() const;

template StreamState<float> BaselineModel<float>::empty_state() const;
template StreamState<double> BaselineModel<double>::empty_state() const;
template void BaselineModel<float>::reset(StreamState<float>&) const;
template void BaselineModel<double>::reset(StreamState<double>&) const;
template std::unique_ptr<Tape<float>> BaselineModel<float>::make_scratch() const;
template std::unique_ptr<Tape<double>> BaselineModel<double>::make_scratch() const;
template void BaselineModel<float>::advance(const Folded<float>&, const StreamRows<float>&, StreamState<float>&,
                                            Tape<float>&, View<float, 2>) const;
template void BaselineModel<double>::advance(const Folded<double>&, const StreamRows<double>&, StreamState<double>&,
                                             Tape<double>&, View<double, 2>) const;

}  // namespace schemamem
