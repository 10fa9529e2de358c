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

#pragma once

#include "models/mamba3/gates.h"
#include "models/mamba3/kernels.h"
#include "models/mamba3/work.h"

namespace schemamem::SCHEMAMEM_ISA {

/// Rows [from, from + count) of the chunk's projection.
template <class T, class S, class Count>
[[gnu::always_inline]] inline void mamba3_project(const T* folded, const Mamba3Chunk<T, S>& chunk, std::size_t from,
                                                  Count count) {
  using namespace mamba3;
  const S& s = chunk.s;
  const Left<T> weights{folded + s.folded.in + from * s.width, s.width, 1};
  const Right<T> inputs{chunk.input, kChunk};
  T* const out = chunk.raw(from);
  for_blocks<T>(count, Fixed<kChunk>{}, [&](auto& tile, std::size_t i, std::size_t j) {
    if (count > s.heads * s.state && i < s.heads * s.state) {  // where the keys and queries will be stored
      prefetch(chunk.key + i * kChunk, tile.kRows * kChunk);
      prefetch(chunk.query + i * kChunk, tile.kRows * kChunk);
    }
    accumulate<T>(tile, weights, inputs, i, j, s.width);
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

template <class T, class S>
[[gnu::always_inline]] inline void mamba3_head_forward(const T* folded, const Mamba3Chunk<T, S>& chunk, std::size_t h,
                                                       const mamba3::ForwardWork<T*>& work) {
  using namespace mamba3;
  const S& s = chunk.s;
  const T* const strength = chunk.gate(kGateStrength, h);
  const T* const in = chunk.gate(kGateIn, h);
  const T* const out = chunk.gate(kGateOut, h);
  const Right<T> queries{chunk.query_of(h), kChunk};
  T* const decay = chunk.decay + h * kChunk * kChunk;
  T* const score = chunk.score + h * kChunk * kChunk;
  T* const read = chunk.read + h * s.value * kChunk;
  mamba3_decay<T>(chunk.gate(kGateLog, h), decay);
  for_blocks<T>(Fixed<kChunk>{}, Fixed<kChunk>{}, [&](auto& tile, std::size_t j, std::size_t i) {
    accumulate<T>(tile, {chunk.key_of(h), 1, kChunk}, queries, j, i, s.state);
#pragma GCC unroll 16
    for (int r = 0; r < tile.kRows; ++r) {
#pragma GCC unroll 8
      for (int v = 0; v < tile.kVecs; ++v) tile.sum[r][v] *= load<T>(decay + (j + r) * kChunk + i + v * kLanes<T>);
    }
    tile.store_to(score + j * kChunk + i, kChunk);
  });
  for (std::size_t p = 0; p < s.value; ++p) {
    for_row<T>([&](std::size_t i) {
      const Vec<T> written = load<T>(chunk.value_of(h) + p * kChunk + i) * load<T>(strength + i);
      store<T>(work.written + p * kChunk + i, written);
      store<T>(work.leaving + p * kChunk + i, written * load<T>(out + i));
    });
  }
  transpose<T>(work.leaving, kChunk, s.value, kChunk, work.writes, s.value);
  for_blocks<T>(s.value, Fixed<kChunk>{}, [&](auto& tile, std::size_t p, std::size_t i) {
    accumulate<T>(tile, {chunk.state_of(h), 1, s.value}, queries, p, i, s.state);
    scale_columns<T>(tile, in + i);
    accumulate<T>(tile, {work.written, kChunk, 1}, {score, kChunk}, p, i, Fixed<kChunk>{});
    tile.store_to(read + p * kChunk + i, kChunk);
  });
  const Vec<T> kept = broadcast<T>(in[kChunk - 1]);
  for_blocks<T>(s.state, s.value, [&](auto& tile, std::size_t n, std::size_t p) {
    tile.load_from(chunk.state_of(h) + n * s.value + p, s.value);
#pragma GCC unroll 16
    for (int r = 0; r < tile.kRows; ++r) {
#pragma GCC unroll 8
      for (int v = 0; v < tile.kVecs; ++v) tile.sum[r][v] *= kept;
    }
    accumulate<T>(tile, {chunk.key_of(h), kChunk, 1}, {work.writes, s.value}, n, p, Fixed<kChunk>{});
    tile.store_to(chunk.state_behind(h) + n * s.value + p, s.value);
  });
  for (std::size_t p = 0; p < s.value; ++p) {
    const std::size_t row = h * s.value + p;
    for_row<T>([&](std::size_t i) {
      const Vec<T> own = multiply_add<T>(load<T>(chunk.gate(kGateGamma, h) + i), load<T>(chunk.gate(kGateOwn, h) + i),
                                         broadcast<T>(folded[s.folded.d + h]));
      const Vec<T> o =
          multiply_add<T>(own, load<T>(chunk.value_of(h) + p * kChunk + i), load<T>(read + p * kChunk + i));
      const Vec<T> z = load<T>(chunk.raw(s.row.z + row) + i);
      const Vec<T> open = sigmoid<T>(z);
      store<T>(chunk.sigmoid + row * kChunk + i, open);
      store<T>(work.gated + row * kChunk + i, o * z * open);
    });
  }
}

/// S^ before the first token: S + sigma v k^T of the token before.
template <class T, class S>
[[gnu::always_inline]] inline void mamba3_first_state(const T* initial, const Mamba3Chunk<T, S>& first) {
  using namespace mamba3;
  const S& s = first.s;
  transpose_states<T>(s, initial + s.stream.ssm, s.value, s.state, first.state);
  for (std::size_t h = 0; h < s.heads; ++h) {
    T* const key = first.before_of(h);
    T* const value = key + s.state;
    for (std::size_t n = 0; n < s.state; ++n) key[n] = initial[s.stream.k + h * s.state + n];
    for (std::size_t p = 0; p < s.value; ++p) value[p] = initial[s.stream.v + h * s.value + p];
    const T sigma = first.gate(kGateBehind, h)[0];
    for (std::size_t n = 0; n < s.state; ++n) {
      for (std::size_t p = 0; p < s.value; ++p) first.state_of(h)[n * s.value + p] += sigma * key[n] * value[p];
    }
  }
}

/// Keeps the last token's k and v where the backward pass of the next chunk finds them side by side.
template <class T, class S>
[[gnu::always_inline]] inline void mamba3_hand_over(const Mamba3Chunk<T, S>& chunk, T* before) {
  using namespace mamba3;
  const S& s = chunk.s;
  for (std::size_t h = 0; h < s.heads; ++h, before += s.before) {
    for (std::size_t n = 0; n < s.state; ++n) before[n] = chunk.key_of(h)[n * kChunk + kChunk - 1];
    for (std::size_t p = 0; p < s.value; ++p) before[s.state + p] = chunk.value_of(h)[p * kChunk + kChunk - 1];
  }
}

template <class T, class S>
[[gnu::always_inline]] inline void mamba3_end(const Mamba3Chunk<T, S>& last, const T* angle, T* state) {
  using namespace mamba3;
  const S& s = last.s;
  for (std::size_t i = 0; i < s.heads * s.angles; ++i) state[s.stream.angle + i] = angle[i];
  transpose_states<T>(s, last.state_behind(0), s.state, s.value, state + s.stream.ssm);
  for (std::size_t i = 0; i < s.heads * s.state; ++i) state[s.stream.k + i] = last.key[i * kChunk + last.tokens - 1];
  for (std::size_t i = 0; i < s.inner; ++i) state[s.stream.v + i] = last.raw(s.row.x + i)[last.tokens - 1];
}

template <class T, class S>
void mamba3_forward(const mamba3::Forward<T>& call) {
  using namespace mamba3;
  const S s(*call.sizes);
  const ForwardWork<T*> work = forward_work(s, call.scratch[kScratchForward]);
  const std::size_t chunks = chunks_of(call.tokens);
  T* const initial = call.tape[kTapeInitial];
  for (std::size_t i = 0; i < s.stream.size; ++i) initial[i] = call.state != nullptr ? call.state[i] : T(0);
  for (std::size_t i = 0; i < s.heads * s.angles; ++i) work.angle[i] = initial[s.stream.angle + i];

  // The gates of all tokens come first, because a token's write looks one gate ahead.
  for (std::size_t c = 0; c < chunks; ++c) {
    const Mamba3Chunk<T, S> chunk = mamba3_chunk<T>(s, call.tape, call.tokens, c);
    transpose_tokens<T>(s, call.u + chunk.first * call.u_row, call.u_row, chunk.tokens, work.padded, chunk.input);
    mamba3_project<T>(call.folded, chunk, s.row.dt, s.gate_rows);
    mamba3_gates<T>(call.folded, call.floor, chunk);
    mamba3_turns<T>(chunk, work.angle);
  }
  for (std::size_t h = 0; h < s.heads; ++h) {
    mamba3_chunk<T>(s, call.tape, call.tokens, chunks - 1).gate(kGateBehind, h)[kChunk] = 0;
  }
  mamba3_first_state<T>(initial, mamba3_chunk<T>(s, call.tape, call.tokens, 0));

  for (std::size_t c = 0; c < chunks; ++c) {
    const Mamba3Chunk<T, S> chunk = mamba3_chunk<T>(s, call.tape, call.tokens, c);
    mamba3_project<T>(call.folded, chunk, 0, s.other_rows);
    mamba3_keys_and_queries<T>(call.folded, chunk);
    if (c + 1 < chunks) mamba3_hand_over<T>(chunk, chunk.before_of(s.heads));
    for (std::size_t h = 0; h < s.heads; ++h) {
      for_row<T>([&](std::size_t i) {
        store<T>(chunk.gate(kGateStrength, h) + i,
                 load<T>(chunk.gate(kGateGamma, h) + i) + load<T>(chunk.gate(kGateBehind, h) + i + 1));
      });
      mamba3_head_forward<T>(call.folded, chunk, h, work);
    }
    multiply_onto<T>({work.gated, 1, kChunk}, {call.folded + s.folded.out_t, s.width},
                     call.y + chunk.first * call.y_row, call.y_row, chunk.tokens, s.width, s.inner);
  }
  if (call.final_state != nullptr) {
    mamba3_end<T>(mamba3_chunk<T>(s, call.tape, call.tokens, chunks - 1), work.angle, call.final_state);
  }
}

}  // namespace schemamem::SCHEMAMEM_ISA
