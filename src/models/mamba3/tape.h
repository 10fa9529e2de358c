#pragma once

#include "models/mamba3/lanes.h"

namespace schemamem::SCHEMAMEM_ISA {

/// Pointers to what the tape keeps of one chunk, and of its neighbours where the recurrence looks there.
template <class T>
struct Mamba3Chunk {
  std::size_t index, first, tokens;  // which chunk, its first token, how many of its tokens exist
  std::size_t gate_row;
  T *input, *projected, *sigmoid, *key, *query, *turn, *rate, *scale, *gates, *decay, *score, *read, *state, *before;

  /// Gate of one head, from the chunk's first token on.
  [[gnu::always_inline]] T* gate(mamba3::Gate which, std::size_t head) const {
    return gates + (which * mamba3::kHeads + head) * gate_row;
  }
  [[gnu::always_inline]] T* raw(std::size_t row) const { return projected + row * mamba3::kChunk; }
  [[gnu::always_inline]] T* key_of(std::size_t head) const { return key + head * mamba3::kState * mamba3::kChunk; }
  [[gnu::always_inline]] T* query_of(std::size_t head) const { return query + head * mamba3::kState * mamba3::kChunk; }
  [[gnu::always_inline]] T* value_of(std::size_t head) const { return raw(mamba3::kRowX + head * mamba3::kValue); }
  [[gnu::always_inline]] T* turn_of(std::size_t head) const {
    return turn + head * 2 * mamba3::kAngles * mamba3::kChunk;
  }
  [[gnu::always_inline]] T* state_of(std::size_t head) const { return state + head * mamba3::kState * mamba3::kValue; }
  [[gnu::always_inline]] T* before_of(std::size_t head) const { return before + head * mamba3::kBeforeSize; }
  [[gnu::always_inline]] T* state_behind(std::size_t head) const { return state_of(mamba3::kHeads + head); }
};

template <class T>
[[gnu::always_inline]] inline Mamba3Chunk<T> mamba3_chunk(T* const* tape, std::size_t tokens, std::size_t c) {
  using namespace mamba3;
  const std::size_t first = c * kChunk;
  return {.index = c,
          .first = first,
          .tokens = tokens - first < kChunk ? tokens - first : kChunk,
          .gate_row = (chunks_of(tokens) + 1) * kChunk,
          .input = tape[kTapeInput] + c * kWidth * kChunk,
          .projected = tape[kTapeProjected] + c * kRows * kChunk,
          .sigmoid = tape[kTapeSigmoid] + c * kInner * kChunk,
          .key = tape[kTapeKey] + c * kHeads * kState * kChunk,
          .query = tape[kTapeQuery] + c * kHeads * kState * kChunk,
          .turn = tape[kTapeTurn] + c * kHeads * 2 * kAngles * kChunk,
          .rate = tape[kTapeRate] + c * kAngles * kChunk,
          .scale = tape[kTapeScale] + c * 2 * kGroups * kChunk,
          .gates = tape[kTapeGate] + first,
          .decay = tape[kTapeDecay] + c * kHeads * kChunk * kChunk,
          .score = tape[kTapeScore] + c * kHeads * kChunk * kChunk,
          .read = tape[kTapeRead] + c * kInner * kChunk,
          .state = tape[kTapeState] + c * kHeads * kState * kValue,
          .before = tape[kTapeBefore] + c * kHeads * kBeforeSize};
}

/// Asks for `elements` of T ahead of their use. An episode's tape is larger than the second-level cache, and the
/// hardware's prefetchers do not follow chunks in reverse.
template <class T>
[[gnu::always_inline]] inline void prefetch(const T* from, std::size_t elements) {
  for (std::size_t i = 0; i < elements; i += 64 / sizeof(T)) __builtin_prefetch(from + i, 0, 2);
}

/// Rows of tokens [tokens x 32] to [32 x kChunk], zero where there is no token. `padded` is [kChunk x 32] of scratch.
template <class T>
[[gnu::always_inline]] inline void transpose_tokens(const T* from, std::size_t from_row, std::size_t tokens, T* padded,
                                                    T* to) {
  using namespace mamba3;
  if (tokens < kChunk) {
    for (std::size_t t = 0; t < kChunk; ++t) {
      for (std::size_t i = 0; i < kWidth; ++i) padded[t * kWidth + i] = t < tokens ? from[t * from_row + i] : T(0);
    }
    from = padded;
    from_row = kWidth;
  }
  transpose<T>(from, from_row, kChunk, kWidth, to, kChunk);
}

}  // namespace schemamem::SCHEMAMEM_ISA
