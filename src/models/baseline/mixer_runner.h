#pragma once

#include <span>
#include <vector>

#include "base/memory.h"
#include "models/baseline/mixer.h"

namespace schemamem {

/// One mixer layer with memory of its own, for whoever looks at a single layer: verification, tests, benchmarks.
/// Sequences run one after the other; gradients of the weights add up until clear().
template <class T>
class MixerRunner {
 public:
  /// `mixer` outlives the runner; `tokens` is the longest piece.
  MixerRunner(const Mixer<T>& mixer, std::size_t tokens, ArenaPolicy policy = {});

  void set_weights(View<const T, 1> weights);
  /// As Episode::floor, for the calls that follow.
  void set_floor(double floor) { floor_ = floor; }
  /// y is overwritten. `state` and `final_state` are flat (Mixer::state()) and may be empty: zero, not wanted.
  void forward(View<const T, 2> u, std::span<const T> state, std::span<T> final_state, View<T, 2> y);
  /// Of the piece that forward ran last. `d_state` is the final state's gradient on entry and the first one's on
  /// return, or empty. d_u is overwritten. Returns the stillness term's value.
  T backward(View<const T, 2> d_y, std::span<T> d_state, View<T, 2> d_u, T stillness = 0,
             std::span<const Segment> segments = {});
  /// y is overwritten; `state` is advanced in place.
  void advance(View<const T, 2> u, std::span<T> state, View<T, 2> y);

  void clear();
  /// Overwrites d_weights with the gradients since clear().
  void gradients(View<T, 1> d_weights) const;
  bool guards_intact() const { return arena_.guards_intact(); }

 private:
  const Mixer<T>& mixer_;
  std::size_t tokens_;
  Arena arena_;
  std::vector<T*> tape_, scratch_, stream_;
  Buffer<T> folded_, shard_;
  View<const T, 2> u_;
  bool state_given_ = false;
  double floor_ = 0;
};

extern template class MixerRunner<float>;
extern template class MixerRunner<double>;

}  // namespace schemamem
