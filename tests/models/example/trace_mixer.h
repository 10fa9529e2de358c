#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "models/baseline/mixer.h"

namespace schemamem {

/// A fading trace of what was seen, weighed by one learned number a feature:
///   S_t = a S_{t-1} + u_t,   y_t = g * S_t   (a = 0.9)
template <class T>
class TraceMixer final : public Mixer<T> {
 public:
  explicit TraceMixer(std::size_t width) : width_(width) {
    parameters_.add("gain", {width});
    state_.add("trace", {width}, Role::kState);
  }

  std::string_view name() const override { return "trace"; }
  const Layout& parameters() const override { return parameters_; }
  const Layout& state() const override { return state_; }
  std::size_t width() const override { return width_; }
  T norm_epsilon() const override { return T(1e-6); }
  std::size_t mlp_hidden() const override { return 16; }

  void initialise(std::string_view, std::uint64_t, std::uint64_t, View<T, 1> weights) const override {
    std::fill(weights.begin(), weights.end(), T(1));
  }

  // The kernels want the weights as they are.
  std::size_t folded_size() const override { return width_; }
  std::size_t shard_size() const override { return width_; }
  void fold(View<const T, 1> weights, View<T, 1> folded) const override {
    std::copy(weights.begin(), weights.end(), folded.begin());
  }
  void unfold(View<const T, 1>, View<const T, 1> shard, View<T, 1> d_weights) const override {
    std::copy(shard.begin(), shard.end(), d_weights.begin());
  }

  std::vector<std::size_t> tape_blocks(std::size_t tokens) const override {
    return {tokens * width_};
  }  // S_1, S_2, ...
  std::vector<std::size_t> scratch_blocks(std::size_t) const override { return {width_}; }
  std::vector<std::size_t> stream_blocks() const override { return {}; }

  void forward(const MixerForward<T>& call) const override {
    T* const traces = call.memory.tape[0];
    const std::size_t tokens = call.u.extent(0);
    for (std::size_t t = 0; t < tokens; ++t) {
      const T* const before = t > 0 ? traces + (t - 1) * width_ : call.state;
      for (std::size_t j = 0; j < width_; ++j) {
        traces[t * width_ + j] = (before == nullptr ? T(0) : kFade * before[j]) + call.u(t, j);
        call.y(t, j) += call.folded[j] * traces[t * width_ + j];
      }
    }
    if (call.final_state != nullptr) std::copy_n(traces + (tokens - 1) * width_, width_, call.final_state);
  }

  T backward(const MixerBackward<T>& call) const override {
    const T* const traces = call.memory.tape[0];
    T* const d_trace = call.memory.scratch[0];  // dL/dS_t, from the last token to the first
    std::fill_n(d_trace, width_, T(0));
    if (call.d_state != nullptr) std::copy_n(call.d_state, width_, d_trace);
    for (std::size_t t = call.u.extent(0); t-- > 0;) {
      for (std::size_t j = 0; j < width_; ++j) {
        call.shard[j] += call.d_y(t, j) * traces[t * width_ + j];
        d_trace[j] += call.folded[j] * call.d_y(t, j);
        call.d_u(t, j) += d_trace[j];
        d_trace[j] *= kFade;
      }
    }
    if (call.d_state != nullptr) std::copy_n(d_trace, width_, call.d_state);
    return 0;  // a trace has no stillness term
  }

  void advance(const MixerAdvance<T>& call) const override {
    for (std::size_t t = 0; t < call.u.extent(0); ++t) {
      for (std::size_t j = 0; j < width_; ++j) {
        call.state[j] = kFade * call.state[j] + call.u(t, j);
        call.y(t, j) += call.folded[j] * call.state[j];
      }
    }
  }

  double training_flops(std::size_t) const override { return 0; }  // no matrix products

 private:
  static constexpr T kFade = T(0.9);

  std::size_t width_;
  Layout parameters_, state_;
};

}  // namespace schemamem
