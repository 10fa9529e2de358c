#include <algorithm>

#include "models/gated_delta_net/pointwise.h"
#include "models/gated_delta_net/steps.h"

namespace schemamem::SCHEMAMEM_ISA {

using namespace gdn;  // NOLINT(google-build-using-namespace): this file is that mixer's

namespace {

/// The cache that came in becomes the four rows in front of the raw projections.
template <class T>
void unpack_cache(const T* conv, T* raw) {
  for (std::size_t token = 0; token < kTaps; ++token) {
    for (std::size_t i = 0; i < kMixed; ++i)
      raw[token * kColumns + i] = conv == nullptr ? T(0) : conv[i * kTaps + token];
  }
}
/// The last four rows, which may reach into the cache that came in.
template <class T>
void pack_cache(const T* raw, std::size_t tokens, T* conv) {
  for (std::size_t token = 0; token < kTaps; ++token) {
    for (std::size_t i = 0; i < kMixed; ++i) conv[i * kTaps + token] = raw[(tokens + token) * kColumns + i];
  }
}

template <class T>
void delta_rule(const MixerForward<T>& call, std::size_t chunk, bool more) {
  T* const* const tape = call.memory.tape.data();
  T* const* const scratch = call.memory.scratch.data();
  const std::size_t token = chunk * kChunk;
  T* const scalars = tape[kScalars] + chunk * kScalarRows * kChunk;
  for (std::size_t h = 0; h < kHeads; ++h) {
    T* const pairs = tape[kPairs] + (chunk * kHeads + h) * kPairMatrices * kChunk * kChunk;
    const T* const unit = tape[kUnit] + token * kMixed + h * kHead;
    const std::size_t place = token * kInner + h * kHead;
    T* after = nullptr;
    if (more) after = tape[kStates] + ((chunk + 1) * kHeads + h) * kStateSize;
    if (!more && call.final_state != nullptr) after = call.final_state + State::recurrent + h * kStateSize;
    GatedDelta<T, DeltaShape>::forward({.query = unit,
                                        .key = unit + kInner,
                                        .value = unit + 2 * kInner,
                                        .log_decay = scalars + (kLogDecay + h) * kChunk,
                                        .beta = scalars + (kBeta + h) * kChunk,
                                        .mask = pairs + kMask * kChunk * kChunk,
                                        .overlap = pairs + kOverlap * kChunk * kChunk,
                                        .attend = pairs + kAttend * kChunk * kChunk,
                                        .decay = scalars + (kDecay + h) * kChunk,
                                        .error = tape[kError] + place,
                                        .write = tape[kWrite] + place,
                                        .read = tape[kRead] + place,
                                        .state = scratch[kCarried] + h * kStateSize,
                                        .empty = chunk == 0 && call.state == nullptr,
                                        .state_after_t = after,
                                        .work = scratch[kWork]});
  }
}

}  // namespace

template <class T>
void gdn_forward(const MixerForward<T>& call) {
  using Steps = GdnPointwise<T>;
  const T* const folded = call.folded.data();
  const std::size_t tokens = call.u.extent(0);
  T* const* const tape = call.memory.tape.data();
  T* const* const scratch = call.memory.scratch.data();
  T* const raw = tape[kRaw] + kTaps * kColumns;
  unpack_cache<T>(call.state == nullptr ? nullptr : call.state + State::conv, tape[kRaw]);
  if (call.state != nullptr) {
    for (std::size_t i = 0; i < kHeads * kStateSize; ++i) tape[kStates][i] = call.state[State::recurrent + i];
    for (std::size_t h = 0; h < kHeads; ++h) {
      transpose<T>(tape[kStates] + h * kStateSize, kHead, kHead, kHead, scratch[kCarried] + h * kStateSize, kHead);
    }
  }
  for (std::size_t begin = 0; begin < tokens; begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, tokens);
    multiply<T>({call.u.data() + begin * kModelWidth, kModelWidth, 1}, {folded + Folded::in, kColumns},
                raw + begin * kColumns, kColumns, end - begin, Fixed<kColumns>{}, Fixed<kModelWidth>{});
    for (std::size_t token = begin; token < end; token += kChunk) {
      const std::size_t rows = std::min(kChunk, tokens - token);
      T* const sigmoids = tape[kSigmoid] + token * Steps::kSigmoids;
      T* const unit = tape[kUnit] + token * kMixed;
      T* const scalars = tape[kScalars] + token * kScalarRows;
      const T* const rows_raw = raw + token * kColumns;
      Steps::convolve(folded + Folded::taps, rows_raw, rows, sigmoids, unit);
      Steps::normalise(unit, scalars);
      Steps::gates(folded + Folded::dt_bias, folded + Folded::rate, rows_raw, rows, scalars);
      delta_rule<T>(call, token / kChunk, token + kChunk < tokens);
      Steps::gate_output(folded + Folded::o_norm, rows_raw, tape[kRead] + token * kInner, rows, sigmoids, scalars,
                         scratch[kGated] + (token - begin) * kInner);
    }
    multiply_onto<T>({scratch[kGated], kInner, 1}, {folded + Folded::out, kModelWidth},
                     call.y.data() + begin * kModelWidth, kModelWidth, end - begin, Fixed<kModelWidth>{},
                     Fixed<kInner>{});
  }
  if (call.final_state != nullptr) pack_cache<T>(tape[kRaw], tokens, call.final_state + State::conv);
}

template void gdn_forward<float>(const MixerForward<float>&);
template void gdn_forward<double>(const MixerForward<double>&);

}  // namespace schemamem::SCHEMAMEM_ISA
