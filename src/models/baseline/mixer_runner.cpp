#include "models/baseline/mixer_runner.h"

#include <algorithm>

#include "models/baseline/blocks.h"

namespace schemamem {

namespace {

template <class T>
void fill_rows(View<T, 2> rows, T value) {
  for (std::size_t t = 0; t < rows.extent(0); ++t) std::fill(rows[t].begin(), rows[t].end(), value);
}

template <class T>
View<const T, 1> view(const Buffer<T>& buffer) {
  return {buffer.data(), {buffer.size()}};
}
template <class T>
View<T, 1> view(Buffer<T>& buffer) {
  return {buffer.data(), {buffer.size()}};
}

}  // namespace

template <class T>
MixerRunner<T>::MixerRunner(const Mixer<T>& mixer, std::size_t tokens, ArenaPolicy policy)
    : mixer_(mixer), tokens_(tokens), arena_(policy), folded_(mixer.folded_size()), shard_(mixer.shard_size()) {
  const Blocks<T> tape(arena_, mixer.tape_blocks(tokens));
  const Blocks<T> scratch(arena_, mixer.scratch_blocks(tokens));
  const Blocks<T> stream(arena_, mixer.stream_blocks());
  arena_.allocate();
  tape_ = tape.in(arena_);
  scratch_ = scratch.in(arena_);
  stream_ = stream.in(arena_);
}

template <class T>
void MixerRunner<T>::set_weights(View<const T, 1> weights) {
  mixer_.fold(weights, view(folded_));
}

template <class T>
void MixerRunner<T>::forward(View<const T, 2> u, std::span<const T> state, std::span<T> final_state, View<T, 2> y) {
  require(u.extent(0) <= tokens_ && y.extents() == u.extents(), "MixerRunner: the piece is too long, or y has no room");
  require((state.empty() || state.size() == mixer_.state().size()) &&
              (final_state.empty() || final_state.size() == mixer_.state().size()),
          "MixerRunner: a state is laid out as Mixer::state()");
  fill_rows(y, T(0));
  u_ = u;
  state_given_ = !state.empty();
  mixer_.forward({.folded = view(std::as_const(folded_)),
                  .u = u,
                  .y = y,
                  .state = state.empty() ? nullptr : state.data(),
                  .final_state = final_state.empty() ? nullptr : final_state.data(),
                  .memory = {tape_, scratch_},
                  .floor = GateFloor<T>::of(floor_)});
}

template <class T>
T MixerRunner<T>::backward(View<const T, 2> d_y, std::span<T> d_state, View<T, 2> d_u, T stillness,
                           std::span<const Segment> segments) {
  require(d_y.extents() == u_.extents() && d_u.extents() == u_.extents(), "MixerRunner: backward follows its forward");
  require(d_state.empty() || d_state.size() == mixer_.state().size(), "MixerRunner: the state's gradient has its size");
  fill_rows(d_u, T(0));
  return mixer_.backward({.folded = view(std::as_const(folded_)),
                          .u = u_,
                          .d_y = d_y,
                          .d_u = d_u,
                          .shard = view(shard_),
                          .d_state = d_state.empty() ? nullptr : d_state.data(),
                          .state_given = state_given_,
                          .memory = {tape_, scratch_},
                          .stillness = stillness,
                          .segments = segments});
}

template <class T>
void MixerRunner<T>::advance(View<const T, 2> u, std::span<T> state, View<T, 2> y) {
  require(state.size() == mixer_.state().size(), "MixerRunner: a state is laid out as Mixer::state()");
  fill_rows(y, T(0));
  mixer_.advance({.folded = view(std::as_const(folded_)),
                  .u = u,
                  .state = view_of(state),
                  .blocks = stream_,
                  .y = y,
                  .floor = GateFloor<T>::of(floor_)});
}

template <class T>
void MixerRunner<T>::clear() {
  std::fill(shard_.begin(), shard_.end(), T(0));
}

template <class T>
void MixerRunner<T>::gradients(View<T, 1> d_weights) const {
  mixer_.unfold(view(folded_), view(shard_), d_weights);
}

template class MixerRunner<float>;
template class MixerRunner<double>;

}  // namespace schemamem
