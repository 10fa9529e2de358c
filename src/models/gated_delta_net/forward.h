#pragma once

#include <algorithm>

#include "models/gated_delta_net/pointwise.h"

namespace schemamem::SCHEMAMEM_ISA {

/// The mixer over a whole piece, a block of tokens at a time.
template <class T, class Sizes>
struct GdnForward {
  using Steps = GdnPointwise<T, Sizes>;
  static constexpr std::size_t kChunk = gdn::kChunk, kTaps = gdn::kTaps;

  static void run(const gdn::AnySizes& sizes, const MixerForward<T>& call) {
    const Sizes s(sizes);
    const gdn::Folded at(s);
    const gdn::State in_state(s);
    const T* const folded = call.folded.data();
    const std::size_t tokens = call.u.extent(0);
    T* const* const tape = call.memory.tape.data();
    T* const* const scratch = call.memory.scratch.data();
    T* const raw = tape[gdn::kRaw] + kTaps * s.columns;
    unpack_cache(s, call.state == nullptr ? nullptr : call.state + in_state.conv, tape[gdn::kRaw]);
    if (call.state != nullptr) {
      for (std::size_t i = 0; i < s.heads * s.state; ++i) tape[gdn::kStates][i] = call.state[in_state.recurrent + i];
      for (std::size_t h = 0; h < s.heads; ++h) {
        transpose<T>(tape[gdn::kStates] + h * s.state, s.head, s.head, s.head, scratch[gdn::kCarried] + h * s.state,
                     s.head);
      }
    }
    for (std::size_t begin = 0; begin < tokens; begin += gdn::kBlock) {
      const std::size_t end = std::min(begin + gdn::kBlock, tokens);
      multiply<T>({call.u.data() + begin * s.width, s.width, 1}, {folded + at.in, s.columns}, raw + begin * s.columns,
                  s.columns, end - begin, s.columns, s.width);
      for (std::size_t token = begin; token < end; token += kChunk) {
        const std::size_t rows = std::min(kChunk, tokens - token);
        T* const sigmoids = tape[gdn::kSigmoid] + token * s.sigmoids;
        T* const unit = tape[gdn::kUnit] + token * s.mixed;
        T* const scalars = tape[gdn::kScalars] + token * gdn::kScalarKinds * s.heads;
        const T* const rows_raw = raw + token * s.columns;
        Steps::convolve(s, folded + at.taps, rows_raw, rows, sigmoids, unit);
        Steps::normalise(s, unit, scalars);
        Steps::gates(s, folded + at.dt_bias, folded + at.rate, call.floor, rows_raw, rows, scalars);
        delta_rule(s, call, token / kChunk, token + kChunk < tokens);
        Steps::gate_output(s, folded + at.o_norm, rows_raw, tape[gdn::kRead] + token * s.inner, rows, sigmoids, scalars,
                           scratch[gdn::kGated] + (token - begin) * s.inner);
      }
      multiply_onto<T>({scratch[gdn::kGated], s.inner, 1}, {folded + at.out, s.width}, call.y.data() + begin * s.width,
                       s.width, end - begin, s.width, s.inner);
    }
    if (call.final_state != nullptr) pack_cache(s, tape[gdn::kRaw], tokens, call.final_state + in_state.conv);
  }

 private:
  /// The cache that came in becomes the four rows in front of the raw projections.
  static void unpack_cache(Sizes s, const T* conv, T* raw) {
    for (std::size_t token = 0; token < kTaps; ++token) {
      for (std::size_t i = 0; i < s.mixed; ++i)
        raw[token * s.columns + i] = conv == nullptr ? T(0) : conv[i * kTaps + token];
    }
  }
  /// The last four rows, which may reach into the cache that came in.
  static void pack_cache(Sizes s, const T* raw, std::size_t tokens, T* conv) {
    for (std::size_t token = 0; token < kTaps; ++token) {
      for (std::size_t i = 0; i < s.mixed; ++i) conv[i * kTaps + token] = raw[(tokens + token) * s.columns + i];
    }
  }

  static void delta_rule(Sizes s, const MixerForward<T>& call, std::size_t chunk, bool more) {
    T* const* const tape = call.memory.tape.data();
    T* const* const scratch = call.memory.scratch.data();
    const std::size_t token = chunk * kChunk;
    T* const scalars = tape[gdn::kScalars] + token * gdn::kScalarKinds * s.heads;
    for (std::size_t h = 0; h < s.heads; ++h) {
      T* const pairs = tape[gdn::kPairs] + (chunk * s.heads + h) * gdn::kPairMatrices * kChunk * kChunk;
      const T* const unit = tape[gdn::kUnit] + token * s.mixed + h * s.head;
      const std::size_t place = token * s.inner + h * s.head;
      T* after = nullptr;
      if (more) after = tape[gdn::kStates] + ((chunk + 1) * s.heads + h) * s.state;
      if (!more && call.final_state != nullptr) after = call.final_state + gdn::State(s).recurrent + h * s.state;
      GatedDelta<T, Sizes>::forward(s, {.query = unit,
                                        .key = unit + s.inner,
                                        .value = unit + 2 * s.inner,
                                        .log_decay = Steps::row_of(s, scalars, gdn::kLogDecay, h),
                                        .beta = Steps::row_of(s, scalars, gdn::kBeta, h),
                                        .mask = pairs + gdn::kMask * kChunk * kChunk,
                                        .overlap = pairs + gdn::kOverlap * kChunk * kChunk,
                                        .attend = pairs + gdn::kAttend * kChunk * kChunk,
                                        .decay = Steps::row_of(s, scalars, gdn::kDecay, h),
                                        .error = tape[gdn::kError] + place,
                                        .write = tape[gdn::kWrite] + place,
                                        .read = tape[gdn::kRead] + place,
                                        .state = scratch[gdn::kCarried] + h * s.state,
                                        .empty = chunk == 0 && call.state == nullptr,
                                        .state_after_t = after,
                                        .work = scratch[gdn::kWork]});
    }
  }
};

}  // namespace schemamem::SCHEMAMEM_ISA
