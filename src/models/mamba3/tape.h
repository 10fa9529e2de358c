#pragma once

#include "models/mamba3/lanes.h"

namespace schemamem::SCHEMAMEM_ISA {

/// Pointers to what the tape keeps of one chunk, and of its neighbours where the recurrence looks there.
template <class T, class S>
struct Mamba3Chunk {
  const S& s;
  std::size_t index, first, tokens;  // which chunk, its first token, how many of its tokens exist
  std::size_t gate_row;
  T *input, *projected, *sigmoid, *key, *query, *turn, *rate, *scale, *gates, *decay, *score, *read, *state, *before;

  /// Gate of one head, from the chunk's first token on.
  [[gnu::always_inline]] T* gate(mamba3::Gate which, std::size_t head) const {
    return gates + (which * s.heads + head) * gate_row;
  }
  [[gnu::always_inline]] T* raw(std::size_t row) const { return projected + row * mamba3::kChunk; }
  [[gnu::always_inline]] T* key_of(std::size_t head) const { return key + head * s.state * mamba3::kChunk; }
  [[gnu::always_inline]] T* query_of(std::size_t head) const { return query + head * s.state * mamba3::kChunk; }
  [[gnu::always_inline]] T* value_of(std::size_t head) const { return raw(s.row.x + head * s.value); }
  [[gnu::always_inline]] T* turn_of(std::size_t head) const { return turn + head * 2 * s.angles * mamba3::kChunk; }
  [[gnu::always_inline]] T* state_of(std::size_t head) const { return state + head * s.state * s.value; }
  [[gnu::always_inline]] T* before_of(std::size_t head) const { return before + head * s.before; }
  [[gnu::always_inline]] T* state_behind(std::size_t head) const { return state_of(s.heads + head); }
};

template <class T, class S>
[[gnu::always_inline]] inline Mamba3Chunk<T, S> mamba3_chunk(const S& s, T* const* tape, std::size_t tokens,
                                                             std::size_t c) {
  using namespace mamba3;
  const std::size_t first = c * kChunk;
  return {.s = s,
          .index = c,
          .first = first,
          .tokens = tokens - first < kChunk ? tokens - first : kChunk,
          .gate_row = (chunks_of(tokens) + 1) * kChunk,
          .input = tape[kTapeInput] + c * s.width * kChunk,
          .projected = tape[kTapeProjected] + c * s.rows * kChunk,
          .sigmoid = tape[kTapeSigmoid] + c * s.inner * kChunk,
          .key = tape[kTapeKey] + c * s.heads * s.state * kChunk,
          .query = tape[kTapeQuery] + c * s.heads * s.state * kChunk,
          .turn = tape[kTapeTurn] + c * s.heads * 2 * s.angles * kChunk,
          .rate = tape[kTapeRate] + c * s.angles * kChunk,
          .scale = tape[kTapeScale] + c * 2 * s.groups * kChunk,
          .gates = tape[kTapeGate] + first,
          .decay = tape[kTapeDecay] + c * s.heads * kChunk * kChunk,
          .score = tape[kTapeScore] + c * s.heads * kChunk * kChunk,
          .read = tape[kTapeRead] + c * s.inner * kChunk,
          .state = tape[kTapeState] + c * s.heads * s.state * s.value,
          .before = tape[kTapeBefore] + c * s.heads * s.before};
}

/// Rows of tokens [tokens x D] to [D x kChunk], zero where there is no token. `padded` is [kChunk x D] of scratch.
template <class T, class S>
[[gnu::always_inline]] inline void transpose_tokens(const S& s, const T* from, std::size_t from_row, std::size_t tokens,
                                                    T* padded, T* to) {
  using namespace mamba3;
  if (tokens < kChunk) {
    for (std::size_t t = 0; t < kChunk; ++t) {
      for (std::size_t i = 0; i < s.width; ++i) padded[t * s.width + i] = t < tokens ? from[t * from_row + i] : T(0);
    }
    from = padded;
    from_row = s.width;
  }
  transpose<T>(from, from_row, kChunk, s.width, to, kChunk);
}

/// Copies ssm [H, P, N] of a stream's state to [H, N, P] or back.
template <class T, class S>
[[gnu::always_inline]] inline void transpose_states(const S& s, const T* from, std::size_t rows, std::size_t columns,
                                                    T* to) {
  for (std::size_t h = 0; h < s.heads; ++h) {
    const std::size_t offset = h * rows * columns;
    transpose<T>(from + offset, columns, rows, columns, to + offset, rows);
  }
}

}  // namespace schemamem::SCHEMAMEM_ISA
