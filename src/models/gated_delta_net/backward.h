#pragma once

#include <algorithm>

#include "models/gated_delta_net/pointwise.h"
#include "models/gated_delta_net/stillness.h"

namespace schemamem::SCHEMAMEM_ISA {

/// The vector-Jacobian product of a piece, a block of tokens at a time, the last one first.
template <class T, class Sizes>
class GdnBackward {
  using Steps = GdnPointwise<T, Sizes>;
  using Stillness = GdnStillness<T, Sizes>;
  static constexpr std::size_t kChunk = gdn::kChunk, kTaps = gdn::kTaps;

 public:
  static T run(const gdn::AnySizes& sizes, const MixerBackward<T>& call) {
    const Sizes s(sizes);
    T* const* const scratch = call.memory.scratch.data();
    const GdnBackward pass(s, call);
    Stillness stillness(s, call, scratch[gdn::kStill]);
    T* const carried_t = scratch[gdn::kCarriedT];
    for (std::size_t h = 0; call.d_state != nullptr && h < s.heads; ++h) {
      const T* const d_recurrent = call.d_state + gdn::State(s).recurrent + h * s.state;
      for (std::size_t i = 0; i < s.state; ++i) carried_t[h * s.state + i] = d_recurrent[i];
      transpose<T>(d_recurrent, s.head, s.head, s.head, scratch[gdn::kCarried] + h * s.state, s.head);
    }
    const std::size_t tokens = call.u.extent(0);
    const std::size_t blocks = (tokens + gdn::kBlock - 1) / gdn::kBlock;
    T* const d_mixed = scratch[gdn::kDMixed];
    for (std::size_t b = blocks; b-- > 0;) {
      const std::size_t begin = b * gdn::kBlock;
      const std::size_t end = std::min(begin + gdn::kBlock, tokens);
      // The three rows behind a block are the first three of the one behind it; behind the last there is nothing.
      T* const behind = d_mixed + gdn::whole_chunks(end - begin) * kChunk * s.mixed;
      for (std::size_t i = 0; i < 3 * s.mixed; ++i) behind[i] = b + 1 == blocks ? T(0) : d_mixed[i];
      pass.block(begin, end, stillness);
    }
    if (call.d_state == nullptr) return stillness.value();
    pass.pull_cache_gradient();
    for (std::size_t h = 0; h < s.heads; ++h) {
      T* const d_recurrent = call.d_state + gdn::State(s).recurrent + h * s.state;
      for (std::size_t i = 0; i < s.state; ++i) d_recurrent[i] = carried_t[h * s.state + i];
      stillness.leave(h, d_recurrent);
    }
    return stillness.value();
  }

 private:
  GdnBackward(Sizes s, const MixerBackward<T>& call)
      : s_(s),
        call_(call),
        folded_(call.folded.data()),
        tape_(call.memory.tape.data()),
        scratch_(call.memory.scratch.data()),
        tokens_(call.u.extent(0)) {}

  const T* raw(std::size_t token) const { return tape_[gdn::kRaw] + (kTaps + token) * s_.columns; }
  const T* scalars(std::size_t token) const { return tape_[gdn::kScalars] + token * gdn::kScalarKinds * s_.heads; }
  T* shard(std::size_t offset) const { return call_.shard.data() + offset; }

  /// The tape's side of a chunk; gradients are filled in by the caller.
  DeltaBackward<T> chunk_of(std::size_t chunk, std::size_t h) const {
    const Sizes s = s_;
    const std::size_t token = chunk * kChunk;
    const T* const pairs = tape_[gdn::kPairs] + (chunk * s.heads + h) * gdn::kPairMatrices * kChunk * kChunk;
    const T* const unit = tape_[gdn::kUnit] + token * s.mixed + h * s.head;
    const std::size_t place = token * s.inner + h * s.head;
    const bool stateful = chunk > 0 || call_.state_given;
    DeltaBackward<T> c{};
    c.query = unit;
    c.key = unit + s.inner;
    c.value = unit + 2 * s.inner;
    c.beta = Steps::row_of(s, scalars(token), gdn::kBeta, h);
    c.mask = pairs + gdn::kMask * kChunk * kChunk;
    c.overlap = pairs + gdn::kOverlap * kChunk * kChunk;
    c.attend = pairs + gdn::kAttend * kChunk * kChunk;
    c.decay = Steps::row_of(s, scalars(token), gdn::kDecay, h);
    c.error = tape_[gdn::kError] + place;
    c.write = tape_[gdn::kWrite] + place;
    c.read = tape_[gdn::kRead] + place;
    c.state_t = stateful ? tape_[gdn::kStates] + (chunk * s.heads + h) * s.state : nullptr;
    c.work = scratch_[gdn::kWork];
    return c;
  }

  void delta_rule(std::size_t begin, std::size_t chunk, std::size_t rows, Stillness& stillness) const {
    const Sizes s = s_;
    const std::size_t row = chunk * kChunk - begin;
    alignas(64) T d_log_decay[Sizes::kMostHeads * kChunk], d_beta[Sizes::kMostHeads * kChunk];
    DeltaBackward<T> heads[Sizes::kMostHeads];
    for (std::size_t h = 0; h < s.heads; ++h) {
      DeltaBackward<T>& c = heads[h];
      c = chunk_of(chunk, h);
      T* const d_unit = scratch_[gdn::kDMixed] + row * s.mixed + h * s.head;
      c.d_read = scratch_[gdn::kDRead] + row * s.inner + h * s.head;
      c.d_state = scratch_[gdn::kCarried] + h * s.state;
      c.d_state_t = scratch_[gdn::kCarriedT] + h * s.state;
      c.empty = call_.d_state == nullptr && chunk * kChunk + rows == tokens_;
      c.d_state_wanted = chunk > 0 || call_.state_given || call_.d_state != nullptr;
      c.d_query = d_unit;
      c.d_key = d_unit + s.inner;
      c.d_value = d_unit + 2 * s.inner;
      c.d_beta = d_beta + h * kChunk;
      c.d_log_decay = d_log_decay + h * kChunk;
    }
    stillness.enter(
        chunk, [this](std::size_t other, std::size_t h) { return chunk_of(other, h); }, heads);
    for (std::size_t h = 0; h < s.heads; ++h) GatedDelta<T, Sizes>::backward(s, heads[h]);
    Steps::gates_backward(s, folded_ + gdn::Folded(s).rate, scalars(chunk * kChunk), d_log_decay, d_beta, rows,
                          scratch_[gdn::kDRaw] + row * s.columns, shard(gdn::Shard(s).a_log),
                          shard(gdn::Shard(s).dt_bias));
  }

  /// The cache that goes out is the last four rows of raw projections.
  void add_cache_gradient(std::size_t begin, std::size_t end) const {
    const T* const d_conv = call_.d_state + gdn::State(s_).conv;
    for (std::size_t column = 0; column < kTaps; ++column) {
      const std::size_t token = tokens_ + column;  // counted from the first row of the cache that came in
      if (token < begin + kTaps || token >= end + kTaps) continue;
      T* const row = scratch_[gdn::kDRaw] + (token - kTaps - begin) * s_.columns;
      for (std::size_t i = 0; i < s_.mixed; ++i) row[i] += d_conv[i * kTaps + column];
    }
  }
  /// From the gradient of the cache that went out to that of the cache that came in.
  void pull_cache_gradient() const {
    T* const d_conv = call_.d_state + gdn::State(s_).conv;
    const T* const taps = folded_ + gdn::Folded(s_).taps;
    const T* const d_mixed = scratch_[gdn::kDMixed];
    for (std::size_t column = kTaps; column-- > 0;) {
      for (std::size_t i = 0; i < s_.mixed; ++i) {
        T sum = column >= tokens_ ? d_conv[i * kTaps + column - tokens_] : T(0);
        for (std::size_t tap = 0; tap + 1 <= column; ++tap) {  // token column - 1 - tap read this column with this tap
          sum += taps[tap * s_.mixed + i] * d_mixed[(column - 1 - tap) * s_.mixed + i];
        }
        d_conv[i * kTaps + column] = sum;
      }
    }
  }

  void block(std::size_t begin, std::size_t end, Stillness& stillness) const {
    const Sizes s = s_;
    const gdn::Folded at(s);
    const gdn::Shard to(s);
    const std::size_t rows = end - begin;
    const T* const d_y = call_.d_y.data() + begin * s.width;
    const T* const u = call_.u.data() + begin * s.width;
    T* const d_raw = scratch_[gdn::kDRaw];
    T* const d_mixed = scratch_[gdn::kDMixed];
    multiply<T>({d_y, s.width, 1}, {folded_ + at.out_t, s.inner}, scratch_[gdn::kDRead], s.inner, rows, s.inner,
                s.width);
    for (std::size_t token = begin; token < end; token += kChunk) {
      const std::size_t row = token - begin;
      Steps::gate_output_backward(s, folded_ + at.o_norm, raw(token), tape_[gdn::kRead] + token * s.inner,
                                  tape_[gdn::kSigmoid] + token * s.sigmoids, scalars(token),
                                  std::min(kChunk, end - token), scratch_[gdn::kGated] + row * s.inner,
                                  scratch_[gdn::kDRead] + row * s.inner, d_raw + row * s.columns, shard(to.o_norm));
    }
    multiply_onto<T>({scratch_[gdn::kGated], 1, s.inner}, {d_y, s.width}, shard(to.out), s.width, s.inner, s.width,
                     rows);
    for (std::size_t chunk = gdn::whole_chunks(end); chunk-- > begin / kChunk;) {
      const std::size_t token = chunk * kChunk;
      delta_rule(begin, chunk, std::min(kChunk, end - token), stillness);
      Steps::normalise_backward(s, tape_[gdn::kUnit] + token * s.mixed, tape_[gdn::kSigmoid] + token * s.sigmoids,
                                scalars(token), d_mixed + (token - begin) * s.mixed);
    }
    Steps::convolve_backward(s, folded_ + at.taps, raw(begin), d_mixed, rows, d_raw, shard(to.taps));
    if (call_.d_state != nullptr) add_cache_gradient(begin, end);
    multiply_onto<T>({u, 1, s.width}, {d_raw, s.columns}, shard(to.in), s.columns, s.width, s.columns, rows);
    multiply_onto<T>({d_raw, s.columns, 1}, {folded_ + at.in_t, s.width}, call_.d_u.data() + begin * s.width, s.width,
                     rows, s.width, s.projected);
  }

  [[no_unique_address]] Sizes s_;
  const MixerBackward<T>& call_;
  const T* folded_;
  T* const* tape_;
  T* const* scratch_;
  std::size_t tokens_;
};

}  // namespace schemamem::SCHEMAMEM_ISA
