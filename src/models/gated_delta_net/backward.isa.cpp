#include <algorithm>

#include "models/gated_delta_net/pointwise.h"
#include "models/gated_delta_net/steps.h"
#include "models/gated_delta_net/stillness.h"

namespace schemamem::SCHEMAMEM_ISA {

using namespace gdn;  // NOLINT(google-build-using-namespace): this file is that mixer's

namespace {

template <class T>
struct Pass {
  const MixerBackward<T>& call;
  const T* folded = call.folded.data();
  T* const* tape = call.memory.tape.data();
  T* const* scratch = call.memory.scratch.data();
  std::size_t tokens = call.u.extent(0);
  bool stateful;  // the sequence started from a given state

  const T* raw(std::size_t token) const { return tape[kRaw] + (kTaps + token) * kColumns; }
  T* shard(std::size_t offset) const { return call.shard.data() + offset; }

  /// The tape's side of a chunk; gradients are filled in by the caller.
  DeltaBackward<T> chunk_of(std::size_t chunk, std::size_t h) const {
    const std::size_t token = chunk * kChunk;
    const T* const scalars = tape[kScalars] + token * kScalarRows;
    const T* const pairs = tape[kPairs] + (chunk * kHeads + h) * kPairMatrices * kChunk * kChunk;
    const T* const unit = tape[kUnit] + token * kMixed + h * kHead;
    const std::size_t place = token * kInner + h * kHead;
    DeltaBackward<T> c{};
    c.query = unit;
    c.key = unit + kInner;
    c.value = unit + 2 * kInner;
    c.beta = scalars + (kBeta + h) * kChunk;
    c.mask = pairs + kMask * kChunk * kChunk;
    c.overlap = pairs + kOverlap * kChunk * kChunk;
    c.attend = pairs + kAttend * kChunk * kChunk;
    c.decay = scalars + (kDecay + h) * kChunk;
    c.error = tape[kError] + place;
    c.write = tape[kWrite] + place;
    c.read = tape[kRead] + place;
    c.state_t = chunk > 0 || stateful ? tape[kStates] + (chunk * kHeads + h) * kStateSize : nullptr;
    c.work = scratch[kWork];
    return c;
  }

  void delta_rule(std::size_t begin, std::size_t chunk, std::size_t rows, GdnStillness<T>& stillness) const {
    const std::size_t row = chunk * kChunk - begin;
    alignas(64) T d_log_decay[kHeads * kChunk], d_beta[kHeads * kChunk];
    DeltaBackward<T> heads[kHeads];
    for (std::size_t h = 0; h < kHeads; ++h) {
      DeltaBackward<T>& c = heads[h];
      c = chunk_of(chunk, h);
      T* const d_unit = scratch[kDMixed] + row * kMixed + h * kHead;
      c.d_read = scratch[kDRead] + row * kInner + h * kHead;
      c.d_state = scratch[kCarried] + h * kStateSize;
      c.d_state_t = scratch[kCarriedT] + h * kStateSize;
      c.empty = call.d_state == nullptr && chunk * kChunk + rows == tokens;
      c.d_state_wanted = chunk > 0 || stateful || call.d_state != nullptr;
      c.d_query = d_unit;
      c.d_key = d_unit + kInner;
      c.d_value = d_unit + 2 * kInner;
      c.d_beta = d_beta + h * kChunk;
      c.d_log_decay = d_log_decay + h * kChunk;
    }
    stillness.enter(
        chunk, [this](std::size_t other, std::size_t h) { return chunk_of(other, h); }, heads);
    for (const DeltaBackward<T>& c : heads) GatedDelta<T, DeltaShape>::backward(c);
    GdnPointwise<T>::gates_backward(folded + Folded::rate, tape[kScalars] + chunk * kChunk * kScalarRows, d_log_decay,
                                    d_beta, rows, scratch[kDRaw] + row * kColumns, shard(Shard::a_log),
                                    shard(Shard::dt_bias));
  }

  /// The cache that goes out is the last four rows of raw projections.
  void add_cache_gradient(std::size_t begin, std::size_t end) const {
    const T* const d_conv = call.d_state + State::conv;
    for (std::size_t column = 0; column < kTaps; ++column) {
      const std::size_t token = tokens + column;  // counted from the first row of the cache that came in
      if (token < begin + kTaps || token >= end + kTaps) continue;
      T* const row = scratch[kDRaw] + (token - kTaps - begin) * kColumns;
      for (std::size_t i = 0; i < kMixed; ++i) row[i] += d_conv[i * kTaps + column];
    }
  }
  /// From the gradient of the cache that went out to that of the cache that came in.
  void pull_cache_gradient() const {
    T* const d_conv = call.d_state + State::conv;
    const T* const taps = folded + Folded::taps;
    for (std::size_t column = kTaps; column-- > 0;) {
      for (std::size_t i = 0; i < kMixed; ++i) {
        T sum = column >= tokens ? d_conv[i * kTaps + column - tokens] : T(0);
        for (std::size_t tap = 0; tap + 1 <= column; ++tap) {  // token column - 1 - tap read this column with this tap
          sum += taps[tap * kMixed + i] * scratch[kDMixed][(column - 1 - tap) * kMixed + i];
        }
        d_conv[i * kTaps + column] = sum;
      }
    }
  }

  void block(std::size_t begin, std::size_t end, GdnStillness<T>& stillness) const {
    using Steps = GdnPointwise<T>;
    const std::size_t rows = end - begin;
    const T* const d_y = call.d_y.data() + begin * kModelWidth;
    const T* const u = call.u.data() + begin * kModelWidth;
    multiply<T>({d_y, kModelWidth, 1}, {folded + Folded::out_t, kInner}, scratch[kDRead], kInner, rows, Fixed<kInner>{},
                Fixed<kModelWidth>{});
    for (std::size_t token = begin; token < end; token += kChunk) {
      const std::size_t row = token - begin;
      Steps::gate_output_backward(
          folded + Folded::o_norm, raw(token), tape[kRead] + token * kInner, tape[kSigmoid] + token * Steps::kSigmoids,
          tape[kScalars] + token * kScalarRows, std::min(kChunk, end - token), scratch[kGated] + row * kInner,
          scratch[kDRead] + row * kInner, scratch[kDRaw] + row * kColumns, shard(Shard::o_norm));
    }
    multiply_onto<T>({scratch[kGated], 1, kInner}, {d_y, kModelWidth}, shard(Shard::out), kModelWidth, Fixed<kInner>{},
                     Fixed<kModelWidth>{}, rows);
    for (std::size_t chunk = whole_chunks(end); chunk-- > begin / kChunk;) {
      const std::size_t token = chunk * kChunk;
      delta_rule(begin, chunk, std::min(kChunk, end - token), stillness);
      Steps::normalise_backward(tape[kUnit] + token * kMixed, tape[kSigmoid] + token * Steps::kSigmoids,
                                tape[kScalars] + token * kScalarRows, scratch[kDMixed] + (token - begin) * kMixed);
    }
    Steps::convolve_backward(folded + Folded::taps, raw(begin), scratch[kDMixed], rows, scratch[kDRaw],
                             shard(Shard::taps));
    if (call.d_state != nullptr) add_cache_gradient(begin, end);
    multiply_onto<T>({u, 1, kModelWidth}, {scratch[kDRaw], kColumns}, shard(Shard::in), kColumns, Fixed<kModelWidth>{},
                     Fixed<kColumns>{}, rows);
    multiply_onto<T>({scratch[kDRaw], kColumns, 1}, {folded + Folded::in_t, kModelWidth},
                     call.d_u.data() + begin * kModelWidth, kModelWidth, rows, Fixed<kModelWidth>{},
                     Fixed<kMixed + kInner + 2 * kHeads>{});
  }
};

}  // namespace

template <class T>
T gdn_backward(const MixerBackward<T>& call) {
  T* const* const scratch = call.memory.scratch.data();
  const Pass<T> pass{.call = call, .stateful = call.state_given};
  GdnStillness<T> stillness(call, scratch[kStill]);
  for (std::size_t h = 0; call.d_state != nullptr && h < kHeads; ++h) {
    const T* const d_recurrent = call.d_state + State::recurrent + h * kStateSize;
    for (std::size_t i = 0; i < kStateSize; ++i) scratch[kCarriedT][h * kStateSize + i] = d_recurrent[i];
    transpose<T>(d_recurrent, kHead, kHead, kHead, scratch[kCarried] + h * kStateSize, kHead);
  }
  const std::size_t tokens = pass.tokens;
  const std::size_t blocks = (tokens + kBlock - 1) / kBlock;
  T* const d_mixed = scratch[kDMixed];
  for (std::size_t b = blocks; b-- > 0;) {
    const std::size_t begin = b * kBlock;
    const std::size_t end = std::min(begin + kBlock, tokens);
    // The three rows behind a block are the first three of the one behind it; behind the last there is nothing.
    T* const behind = d_mixed + whole_chunks(end - begin) * kChunk * kMixed;
    for (std::size_t i = 0; i < 3 * kMixed; ++i) behind[i] = b + 1 == blocks ? T(0) : d_mixed[i];
    pass.block(begin, end, stillness);
  }
  if (call.d_state == nullptr) return stillness.value();
  pass.pull_cache_gradient();
  for (std::size_t h = 0; h < kHeads; ++h) {
    T* const d_recurrent = call.d_state + State::recurrent + h * kStateSize;
    for (std::size_t i = 0; i < kStateSize; ++i) d_recurrent[i] = scratch[kCarriedT][h * kStateSize + i];
    stillness.leave(h, d_recurrent);
  }
  return stillness.value();
}

template float gdn_backward<float>(const MixerBackward<float>&);
template double gdn_backward<double>(const MixerBackward<double>&);

}  // namespace schemamem::SCHEMAMEM_ISA
