#pragma once

// The mixer over a piece of a sequence, chunk by chunk, in the shifted form with one write a token:
//
//   sigma_t = (1 - lambda_{t+1}) Dt_{t+1},  s_t = gamma_t + sigma_t,  S^_t = S_t + sigma_t v_t k_t^T
//   P_t = alpha_t S^_{t-1},   o_t = P_t q_t + gamma_t (q_t . k_t) v_t + D v_t,   S^_t = P_t + s_t v_t k_t^T
//
// and inside a chunk, with c the running sum of A Dt and L_ij = exp(c_i - c_j) for j < i:
//
//   (P q)_i = sum_j (q_i . k_j) L_ij s_j v_j + e^{c_i} S^_in q_i
//   S^_out  = e^{c_last} S^_in + sum_j e^{c_last - c_j} s_j v_j k_j^T
//
// A piece's last token has sigma = 0, so that S^ = S there.

#include "models/mamba3/gates.h"
#include "models/mamba3/kernels.h"
#include "models/mamba3/work.h"

namespace schemamem::SCHEMAMEM_ISA {

/// Copies ssm [H, P, N] of a stream's state to [H, N, P] or back.
template <class T>
[[gnu::always_inline]] inline void transpose_states(const T* from, std::size_t rows, std::size_t columns, T* to) {
  for (std::size_t h = 0; h < mamba3::kHeads; ++h) {
    const std::size_t offset = h * rows * columns;
    transpose<T>(from + offset, columns, rows, columns, to + offset, rows);
  }
}

/// Rows [from, from + Count) of the chunk's projection.
template <class T, std::size_t From, std::size_t Count>
[[gnu::always_inline]] inline void mamba3_project(const T* folded, const Mamba3Chunk<T>& chunk) {
  using namespace mamba3;
  const Left<T> weights{folded + kFoldIn + From * kWidth, kWidth, 1};
  const Right<T> inputs{chunk.input, kChunk};
  T* const out = chunk.raw(From);
  for_blocks<T, Count, kChunk>([&](auto& tile, std::size_t i, std::size_t j) {
    if (Count > kHeads * kState && i < kHeads * kState) {  // where the keys and queries will be stored
      prefetch(chunk.key + i * kChunk, tile.kRows * kChunk);
      prefetch(chunk.query + i * kChunk, tile.kRows * kChunk);
    }
    accumulate<T>(tile, weights, inputs, i, j, Fixed<kWidth>{});
    tile.store_to(out + i * kChunk + j, kChunk);
  });
}

/// exp(c_i - c_j) at row j, token i > j.
template <class T>
[[gnu::always_inline]] inline void mamba3_decay(const T* log, T* decay) {
  using namespace mamba3;
  for (std::size_t j = 0; j < kChunk; ++j) {
    for_row<T>([&](std::size_t i) {
      const VecInt<T> not_later = first_lanes<T>(static_cast<std::ptrdiff_t>(j + 1) - static_cast<std::ptrdiff_t>(i));
      store<T>(decay + j * kChunk + i, keep<T>(~not_later, exponential<T>(load<T>(log + i) - log[j])));
    });
  }
}

template <class T>
[[gnu::always_inline]] inline void mamba3_head_forward(const T* folded, const Mamba3Chunk<T>& chunk, std::size_t h,
                                                       mamba3::ForwardWork<T>& work) {
  using namespace mamba3;
  const T* const strength = chunk.gate(kGateStrength, h);
  const T* const in = chunk.gate(kGateIn, h);
  const T* const out = chunk.gate(kGateOut, h);
  const Right<T> queries{chunk.query_of(h), kChunk};
  T* const decay = chunk.decay + h * kChunk * kChunk;
  T* const score = chunk.score + h * kChunk * kChunk;
  T* const read = chunk.read + h * kValue * kChunk;
  mamba3_decay<T>(chunk.gate(kGateLog, h), decay);
  for_blocks<T, kChunk, kChunk>([&](auto& tile, std::size_t j, std::size_t i) {
    accumulate<T>(tile, {chunk.key_of(h), 1, kChunk}, queries, j, i, Fixed<kState>{});
#pragma GCC unroll 16
    for (int r = 0; r < tile.kRows; ++r) {
#pragma GCC unroll 8
      for (int v = 0; v < tile.kVecs; ++v) tile.sum[r][v] *= load<T>(decay + (j + r) * kChunk + i + v * kLanes<T>);
    }
    tile.store_to(score + j * kChunk + i, kChunk);
  });
  for (std::size_t p = 0; p < kValue; ++p) {
    for_row<T>([&](std::size_t i) {
      const Vec<T> written = load<T>(chunk.value_of(h) + p * kChunk + i) * load<T>(strength + i);
      store<T>(work.written + p * kChunk + i, written);
      store<T>(work.leaving + p * kChunk + i, written * load<T>(out + i));
    });
  }
  transpose<T>(work.leaving, kChunk, kValue, kChunk, work.writes, kValue);
  for_blocks<T, kValue, kChunk>([&](auto& tile, std::size_t p, std::size_t i) {
    accumulate<T>(tile, {chunk.state_of(h), 1, kValue}, queries, p, i, Fixed<kState>{});
    scale_columns<T>(tile, in + i);
    accumulate<T>(tile, {work.written, kChunk, 1}, {score, kChunk}, p, i, Fixed<kChunk>{});
    tile.store_to(read + p * kChunk + i, kChunk);
  });
  const Vec<T> kept = broadcast<T>(in[kChunk - 1]);
  for_blocks<T, kState, kValue>([&](auto& tile, std::size_t n, std::size_t p) {
    tile.load_from(chunk.state_of(h) + n * kValue + p, kValue);
#pragma GCC unroll 16
    for (int r = 0; r < tile.kRows; ++r) {
#pragma GCC unroll 8
      for (int v = 0; v < tile.kVecs; ++v) tile.sum[r][v] *= kept;
    }
    accumulate<T>(tile, {chunk.key_of(h), kChunk, 1}, {work.writes, kValue}, n, p, Fixed<kChunk>{});
    tile.store_to(chunk.state_behind(h) + n * kValue + p, kValue);
  });
  for (std::size_t p = 0; p < kValue; ++p) {
    const std::size_t row = h * kValue + p;
    for_row<T>([&](std::size_t i) {
      const Vec<T> own = multiply_add<T>(load<T>(chunk.gate(kGateGamma, h) + i), load<T>(chunk.gate(kGateOwn, h) + i),
                                         broadcast<T>(folded[kFoldD + h]));
      const Vec<T> o =
          multiply_add<T>(own, load<T>(chunk.value_of(h) + p * kChunk + i), load<T>(read + p * kChunk + i));
      const Vec<T> z = load<T>(chunk.raw(kRowZ + row) + i);
      const Vec<T> s = sigmoid<T>(z);
      store<T>(chunk.sigmoid + row * kChunk + i, s);
      store<T>(work.gated + row * kChunk + i, o * z * s);
    });
  }
}

/// S^ before the first token: S + sigma v k^T of the token before.
template <class T>
[[gnu::always_inline]] inline void mamba3_first_state(const T* initial, const Mamba3Chunk<T>& first) {
  using namespace mamba3;
  transpose_states<T>(initial + kStateSsm, kValue, kState, first.state);
  for (std::size_t h = 0; h < kHeads; ++h) {
    T* const key = first.before_of(h);
    T* const value = key + kState;
    for (std::size_t n = 0; n < kState; ++n) key[n] = initial[kStateK + h * kState + n];
    for (std::size_t p = 0; p < kValue; ++p) value[p] = initial[kStateV + h * kValue + p];
    const T sigma = first.gate(kGateBehind, h)[0];
    for (std::size_t n = 0; n < kState; ++n) {
      for (std::size_t p = 0; p < kValue; ++p) first.state_of(h)[n * kValue + p] += sigma * key[n] * value[p];
    }
  }
}

/// Keeps the last token's k and v where the backward pass of the next chunk finds them side by side.
template <class T>
[[gnu::always_inline]] inline void mamba3_hand_over(const Mamba3Chunk<T>& chunk, T* before) {
  using namespace mamba3;
  for (std::size_t h = 0; h < kHeads; ++h, before += kBeforeSize) {
    for (std::size_t n = 0; n < kState; ++n) before[n] = chunk.key_of(h)[n * kChunk + kChunk - 1];
    for (std::size_t p = 0; p < kValue; ++p) before[kState + p] = chunk.value_of(h)[p * kChunk + kChunk - 1];
  }
}

template <class T>
[[gnu::always_inline]] inline void mamba3_end(const Mamba3Chunk<T>& last, const T* angle, T* state) {
  using namespace mamba3;
  for (std::size_t i = 0; i < kHeads * kAngles; ++i) state[kStateAngle + i] = angle[i];
  transpose_states<T>(last.state_behind(0), kState, kValue, state + kStateSsm);
  for (std::size_t i = 0; i < kHeads * kState; ++i) state[kStateK + i] = last.key[i * kChunk + last.tokens - 1];
  for (std::size_t i = 0; i < kInner; ++i) state[kStateV + i] = last.raw(kRowX + i)[last.tokens - 1];
}

template <class T>
void mamba3_forward(const mamba3::Forward<T>& call) {
  using namespace mamba3;
  mamba3::ForwardWork<T>& work = *reinterpret_cast<mamba3::ForwardWork<T>*>(call.scratch[kScratchForward]);
  const std::size_t chunks = chunks_of(call.tokens);
  T* const initial = call.tape[kTapeInitial];
  for (std::size_t i = 0; i < kStateSize; ++i) initial[i] = call.state != nullptr ? call.state[i] : T(0);
  for (std::size_t i = 0; i < kHeads * kAngles; ++i) work.angle[i] = initial[kStateAngle + i];

  // The gates of all tokens come first, because a token's write looks one gate ahead.
  for (std::size_t c = 0; c < chunks; ++c) {
    const Mamba3Chunk<T> chunk = mamba3_chunk<T>(call.tape, call.tokens, c);
    transpose_tokens<T>(call.u + chunk.first * call.u_row, call.u_row, chunk.tokens, work.padded, chunk.input);
    mamba3_project<T, kRowDt, kGateRows>(call.folded, chunk);
    mamba3_gates<T>(call.folded, chunk);
    mamba3_turns<T>(chunk, work.angle);
  }
  for (std::size_t h = 0; h < kHeads; ++h) {
    mamba3_chunk<T>(call.tape, call.tokens, chunks - 1).gate(kGateBehind, h)[kChunk] = 0;
  }
  mamba3_first_state<T>(initial, mamba3_chunk<T>(call.tape, call.tokens, 0));

  for (std::size_t c = 0; c < chunks; ++c) {
    const Mamba3Chunk<T> chunk = mamba3_chunk<T>(call.tape, call.tokens, c);
    mamba3_project<T, 0, kRowDt>(call.folded, chunk);
    mamba3_keys_and_queries<T>(call.folded, chunk);
    if (c + 1 < chunks) mamba3_hand_over<T>(chunk, chunk.before_of(kHeads));
    for (std::size_t h = 0; h < kHeads; ++h) {
      for_row<T>([&](std::size_t i) {
        store<T>(chunk.gate(kGateStrength, h) + i,
                 load<T>(chunk.gate(kGateGamma, h) + i) + load<T>(chunk.gate(kGateBehind, h) + i + 1));
      });
      mamba3_head_forward<T>(call.folded, chunk, h, work);
    }
    multiply_onto<T>({work.gated, 1, kChunk}, {call.folded + kFoldOutT, kWidth}, call.y + chunk.first * call.y_row,
                     call.y_row, chunk.tokens, Fixed<kWidth>{}, Fixed<kInner>{});
  }
  if (call.final_state != nullptr) {
    mamba3_end<T>(mamba3_chunk<T>(call.tape, call.tokens, chunks - 1), work.angle, call.final_state);
  }
}

}  // namespace schemamem::SCHEMAMEM_ISA
