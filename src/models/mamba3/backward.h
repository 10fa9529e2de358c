// The vector-Jacobian product of forward.isa.cpp, chunks in reverse. With E the gradient of the shifted state behind a
// chunk, X_ij = (q_i . k_j) L_ij and Z_ij = (do_i . v_j) L_ij:
//
//   dq_i = sum_j Z_ij s_j k_j + e^{c_i} do_i S^_in           E_in = e^{c_last} E + sum_i e^{c_i} do_i q_i^T
//   dk_j = s_j ek_j,   ek_j = sum_i Z_ij q_i + e^{c_last - c_j} v_j E
//   dv_j = s_j ev_j,   ev_j = sum_i X_ij do_i + e^{c_last - c_j} E k_j
//
// plus the token's own term gamma (q . k) v, and for the gates ds = ek . k, f_t = ds_{t-1},
// d(A Dt)_t = sum_{r >= t in the chunk} (do_r . P_r q_r - s_r ds_r) + <E, S^_out>: a suffix sum that starts afresh at
// every chunk keeps the digits that one over the whole sequence would lose.

#pragma once

#include "models/mamba3/backward_gates.h"
#include "models/mamba3/kernels.h"
#include "models/mamba3/stillness.h"

namespace schemamem::SCHEMAMEM_ISA {

/// Through out_proj and the gate: do, dz, do . P q, do . v, and the gradients of out_proj and D.
template <class T, class S>
[[gnu::always_inline]] inline void mamba3_output_backward(const mamba3::Backward<T>& call,
                                                          const Mamba3Chunk<T, S>& chunk,
                                                          const mamba3::BackwardWork<T*>& work,
                                                          const mamba3::Sums<T*>& sums) {
  using namespace mamba3;
  const S& s = chunk.s;
  const T* const d_y = call.d_y + chunk.first * call.d_y_row;
  transpose_tokens<T>(s, d_y, call.d_y_row, chunk.tokens, work.padded, work.d_y);
  for_blocks<T>(s.inner, Fixed<kChunk>{}, [&](auto& tile, std::size_t i, std::size_t j) {
    accumulate<T>(tile, {call.folded + s.folded.out, 1, s.inner}, {work.d_y, kChunk}, i, j, s.width);
    tile.store_to(work.d_o + i * kChunk + j, kChunk);
  });
  for (std::size_t h = 0; h < s.heads; ++h) {
    for_row<T>([&](std::size_t i) {
      const Vec<T> own = multiply_add<T>(load<T>(chunk.gate(kGateGamma, h) + i), load<T>(chunk.gate(kGateOwn, h) + i),
                                         broadcast<T>(call.folded[s.folded.d + h]));
      Vec<T> read_dot{}, own_dot{};
      for (std::size_t row = h * s.value; row < (h + 1) * s.value; ++row) {
        const std::size_t at = row * kChunk + i;
        const Vec<T> d_gated = load<T>(work.d_o + at), z = load<T>(chunk.raw(s.row.z) + at),
                     open = load<T>(chunk.sigmoid + at);
        const Vec<T> v = load<T>(chunk.raw(s.row.x) + at), read = load<T>(chunk.read + at);
        const Vec<T> o = multiply_add<T>(own, v, read), silu = z * open, d_o = d_gated * silu;
        store<T>(work.gated + at, o * silu);
        store<T>(work.d_projected + s.row.z * kChunk + at, d_gated * o * multiply_add<T>(silu, T(1) - open, open));
        store<T>(work.d_o + at, d_o);
        read_dot = multiply_add<T>(d_o, read, read_dot);
        own_dot = multiply_add<T>(d_o, v, own_dot);
      }
      store<T>(work.read_dot + h * kChunk + i, read_dot);
      store<T>(work.own_dot + h * kChunk + i, own_dot);
      store<T>(sums.d + h * kChunk + i, load<T>(sums.d + h * kChunk + i) + own_dot);
    });
  }
  for_blocks<T>(s.inner, s.width, [&](auto& tile, std::size_t i, std::size_t j) {
    T* const d_weights = call.shard + s.gradient.out_t + i * s.width + j;
    tile.load_from(d_weights, s.width);
    accumulate<T>(tile, {work.gated, kChunk, 1}, {d_y, call.d_y_row}, i, j, chunk.tokens);
    tile.store_to(d_weights, s.width);
  });
}

/// The products of one head: d_query, d_write_key and d_write_value, and E moves to the chunk's beginning. Meanwhile
/// what the next head (`next_h` of `next`) will read is prefetched, a few rows a block.
template <class T, class S>
[[gnu::always_inline]] inline void mamba3_head_backward(const Mamba3Chunk<T, S>& chunk, std::size_t h,
                                                        const Mamba3Chunk<T, S>& next, std::size_t next_h,
                                                        const mamba3::BackwardWork<T*>& work) {
  using namespace mamba3;
  const S& s = chunk.s;
  const T* const in = chunk.gate(kGateIn, h);
  const T* const out = chunk.gate(kGateOut, h);
  const T* const strength = chunk.gate(kGateStrength, h);
  const T* const decay = chunk.decay + h * kChunk * kChunk;
  const T* const d_o = work.d_o + h * s.value * kChunk;
  const T* const value = chunk.value_of(h);
  T* const d_state = work.d_state + h * s.state * s.value;
  T* const d_query = work.d_query + h % s.heads_of_group * s.state * kChunk;
  T* const d_write_key = work.d_write_key + h % s.heads_of_group * s.state * kChunk;

  Vec<T> closing{};
  for (std::size_t i = 0; i < s.state * s.value; i += kLanes<T>) {
    closing = multiply_add<T>(load<T>(d_state + i), load<T>(chunk.state_behind(h) + i), closing);
  }
  work.closing[h] = horizontal_sum<T>(closing);

  for (std::size_t p = 0; p < s.value; ++p) {
    for_row<T>([&](std::size_t i) {
      store<T>(work.entering + p * kChunk + i, load<T>(d_o + p * kChunk + i) * load<T>(in + i));
      store<T>(work.leaving + p * kChunk + i, load<T>(value + p * kChunk + i) * load<T>(out + i));
    });
  }
  transpose<T>(work.entering, kChunk, s.value, kChunk, work.reads, s.value);
  transpose<T>(chunk.score + h * kChunk * kChunk, kChunk, kChunk, kChunk, work.score_transposed, kChunk);
  for_blocks<T>(Fixed<kChunk>{}, Fixed<kChunk>{}, [&](auto& tile, std::size_t j, std::size_t i) {
    accumulate<T>(tile, {value, 1, kChunk}, {d_o, kChunk}, j, i, s.value);
#pragma GCC unroll 16
    for (int r = 0; r < tile.kRows; ++r) {
#pragma GCC unroll 8
      for (int v = 0; v < tile.kVecs; ++v) {
        const std::size_t at = (j + r) * kChunk + i + v * kLanes<T>;
        const Vec<T> d_score = tile.sum[r][v] * load<T>(decay + at);
        store<T>(work.d_score + at, d_score);
        store<T>(work.d_score_written + at, d_score * strength[j + r]);
      }
    }
  });
  transpose<T>(work.d_score, kChunk, kChunk, kChunk, work.d_score_transposed, kChunk);

  for_blocks<T>(s.state, Fixed<kChunk>{}, [&](auto& tile, std::size_t n, std::size_t i) {
    prefetch(next.key_of(next_h) + n * kChunk, tile.kRows * kChunk);
    accumulate<T>(tile, {chunk.key_of(h), kChunk, 1}, {work.d_score_written, kChunk}, n, i, Fixed<kChunk>{});
    accumulate<T>(tile, {chunk.state_of(h), s.value, 1}, {work.entering, kChunk}, n, i, s.value);
    tile.store_to(d_query + n * kChunk + i, kChunk);
  });
  for_blocks<T>(s.state, Fixed<kChunk>{}, [&](auto& tile, std::size_t n, std::size_t j) {
    prefetch(next.query_of(next_h) + n * kChunk, tile.kRows * kChunk);
    prefetch(chunk.turn_of(h) + n / 2 * kChunk, tile.kRows / 2 * kChunk);
    accumulate<T>(tile, {chunk.query_of(h), kChunk, 1}, {work.d_score_transposed, kChunk}, n, j, Fixed<kChunk>{});
    accumulate<T>(tile, {d_state, s.value, 1}, {work.leaving, kChunk}, n, j, s.value);
    tile.store_to(d_write_key + n * kChunk + j, kChunk);
  });
  for_blocks<T>(s.value, Fixed<kChunk>{}, [&](auto& tile, std::size_t p, std::size_t j) {
    accumulate<T>(tile, {d_state, 1, s.value}, {chunk.key_of(h), kChunk}, p, j, s.state);
    scale_columns<T>(tile, out + j);
    accumulate<T>(tile, {d_o, kChunk, 1}, {work.score_transposed, kChunk}, p, j, Fixed<kChunk>{});
    tile.store_to(work.d_write_value + p * kChunk + j, kChunk);
  });
  const Vec<T> kept = broadcast<T>(in[kChunk - 1]);
  for_blocks<T>(s.state, s.value, [&](auto& tile, std::size_t n, std::size_t p) {
    prefetch(next.state_of(next_h) + n * s.value, tile.kRows * s.value);
    tile.load_from(d_state + n * s.value + p, s.value);
#pragma GCC unroll 16
    for (int r = 0; r < tile.kRows; ++r) {
#pragma GCC unroll 8
      for (int v = 0; v < tile.kVecs; ++v) tile.sum[r][v] *= kept;
    }
    accumulate<T>(tile, {chunk.query_of(h), kChunk, 1}, {work.reads, s.value}, n, p, Fixed<kChunk>{});
    tile.store_to(d_state + n * s.value + p, s.value);
  });
}

/// dv = s ev + (gamma (q . k) + D) do, the gradient of x.
template <class T, class S>
[[gnu::always_inline]] inline void mamba3_value_backward(const T* folded, const Mamba3Chunk<T, S>& chunk, std::size_t h,
                                                         const mamba3::Extra<T*>* extra,
                                                         const mamba3::BackwardWork<T*>& work) {
  using namespace mamba3;
  const S& s = chunk.s;
  for_row<T>([&](std::size_t i) {
    const Vec<T> own = multiply_add<T>(load<T>(chunk.gate(kGateGamma, h) + i), load<T>(chunk.gate(kGateOwn, h) + i),
                                       broadcast<T>(folded[s.folded.d + h]));
    const Vec<T> strength = load<T>(chunk.gate(kGateStrength, h) + i);
    for (std::size_t p = 0; p < s.value; ++p) {
      const std::size_t at = (h * s.value + p) * kChunk + i;
      Vec<T> d_v =
          multiply_add<T>(own, load<T>(work.d_o + at), strength * load<T>(work.d_write_value + p * kChunk + i));
      if (extra != nullptr) d_v += load<T>(extra->value + at);
      store<T>(work.d_projected + s.row.x * kChunk + at, d_v);
    }
  });
}

/// v^T E k of the token before the chunk, E being that of the chunk's beginning: f of the chunk's first token.
template <class T, class S>
[[gnu::always_inline]] inline T mamba3_write_dot_before(const Mamba3Chunk<T, S>& chunk, std::size_t h,
                                                        const T* d_state) {
  using namespace mamba3;
  const S& s = chunk.s;
  const T* const key = chunk.before_of(h);
  const T* const value = key + s.state;
  Vec<T> sum{};
  for (std::size_t p = 0; p < s.value; p += kLanes<T>) {
    Vec<T> parts[4] = {};
    for (std::size_t n = 0; n < s.state; n += 4) {
#pragma GCC unroll 4
      for (std::size_t i = 0; i < 4; ++i) {
        parts[i] = multiply_add<T>(load<T>(d_state + (n + i) * s.value + p), broadcast<T>(key[n + i]), parts[i]);
      }
    }
    sum = multiply_add<T>((parts[0] + parts[1]) + (parts[2] + parts[3]), load<T>(value + p), sum);
  }
  return horizontal_sum<T>(sum);
}

/// d in_proj += dproj u^T, du += in_proj^T dproj.
template <class T, class S>
[[gnu::always_inline]] inline void mamba3_input_backward(const mamba3::Backward<T>& call,
                                                         const Mamba3Chunk<T, S>& chunk, const Mamba3Chunk<T, S>& next,
                                                         const mamba3::BackwardWork<T*>& work) {
  using namespace mamba3;
  const S& s = chunk.s;
  for_blocks<T>(s.rows, s.width, [&](auto& tile, std::size_t i, std::size_t j) {
    T* const d_weights = call.shard + s.gradient.in + i * s.width + j;
    prefetch(next.raw(i), tile.kRows * kChunk);
    if (i < s.inner) {
      prefetch(next.sigmoid + i * kChunk, tile.kRows * kChunk);
      prefetch(next.read + i * kChunk, tile.kRows * kChunk);
    }
    tile.load_from(d_weights, s.width);
    accumulate<T>(tile, {work.d_projected, kChunk, 1}, {call.u + chunk.first * call.u_row, call.u_row}, i, j,
                  chunk.tokens);
    tile.store_to(d_weights, s.width);
  });
  multiply_onto<T>({work.d_projected, 1, kChunk}, {call.folded + s.folded.in, s.width},
                   call.d_u + chunk.first * call.d_u_row, call.d_u_row, chunk.tokens, s.width, s.rows);
}

/// E and the angle's gradient behind the last token.
template <class T, class S>
[[gnu::always_inline]] inline void mamba3_begin_backward(const S& s, const mamba3::Backward<T>& call,
                                                         const mamba3::BackwardWork<T*>& work) {
  using namespace mamba3;
  if (call.d_state == nullptr) {
    for (std::size_t i = 0; i < s.heads * s.state * s.value; ++i) work.d_state[i] = 0;
    for (std::size_t i = 0; i < s.heads * s.angles; ++i) work.d_angle[i] = 0;
  } else {
    transpose_states<T>(s, call.d_state + s.stream.ssm, s.value, s.state, work.d_state);
    for (std::size_t i = 0; i < s.heads * s.angles; ++i) work.d_angle[i] = call.d_state[s.stream.angle + i];
  }
}

/// The gradient of the state before the first token, from E there.
template <class T, class S>
[[gnu::always_inline]] inline void mamba3_end_backward(const S& s, const mamba3::Backward<T>& call,
                                                       const mamba3::BackwardWork<T*>& work) {
  using namespace mamba3;
  const Mamba3Chunk<T, S> first = mamba3_chunk<T>(s, call.tape, call.tokens, 0);
  for (std::size_t i = 0; i < s.heads * s.angles; ++i) call.d_state[s.stream.angle + i] = work.d_angle[i];
  transpose_states<T>(s, work.d_state, s.state, s.value, call.d_state + s.stream.ssm);
  for (std::size_t i = s.stream.k; i < s.stream.size; ++i) call.d_state[i] = 0;
  for (std::size_t h = 0; h < s.heads; ++h) {
    const T sigma = first.gate(kGateBehind, h)[0];
    const T* const e = work.d_state + h * s.state * s.value;
    const T* const key = first.before_of(h);
    const T* const value = key + s.state;
    T* const d_k = call.d_state + s.stream.k + h * s.state;
    T* const d_v = call.d_state + s.stream.v + h * s.value;
    for (std::size_t n = 0; n < s.state; ++n) {
      for (std::size_t p = 0; p < s.value; ++p) {
        d_k[n] += sigma * e[n * s.value + p] * value[p];
        d_v[p] += sigma * e[n * s.value + p] * key[n];
      }
    }
  }
}

template <class T, class S>
T mamba3_backward(const mamba3::Backward<T>& call) {
  using namespace mamba3;
  const S s(*call.sizes);
  const BackwardWork<T*> work = backward_work(s, call.scratch[kScratchBackward]);
  const Sums<T*> sums = sums_of(s, call.scratch[kScratchSums]);
  const Extra<T*> all_extra = extra_of(s, call.scratch[kScratchExtra]);
  const std::size_t chunks = chunks_of(call.tokens);
  __builtin_memset(sums.b_bias, 0, (sums.end - sums.b_bias) * sizeof(T));
  mamba3_begin_backward<T>(s, call, work);
  T stillness = 0;
  for (std::size_t c = chunks; c-- > 0;) {
    const Mamba3Chunk<T, S> chunk = mamba3_chunk<T>(s, call.tape, call.tokens, c);
    const Mamba3Chunk<T, S> next = mamba3_chunk<T>(s, call.tape, call.tokens, c > 0 ? c - 1 : 0);
    mamba3_output_backward<T>(call, chunk, work, sums);
    const Extra<T*>* const extra = mamba3_extra<T>(call, chunk, all_extra) ? &all_extra : nullptr;
    for (std::size_t g = 0; g < s.groups; ++g) {
      for (std::size_t h = g * s.heads_of_group; h < (g + 1) * s.heads_of_group; ++h) {
        mamba3_head_backward<T>(chunk, h, h + 1 < s.heads ? chunk : next, (h + 1) % s.heads, work);
        if (extra != nullptr) stillness += mamba3_stillness<T>(call, chunk, h, work, *extra);
        mamba3_value_backward<T>(call.folded, chunk, h, extra, work);
        work.write_dot[h * 2 * kChunk + kChunk - 1] =
            mamba3_write_dot_before<T>(chunk, h, work.d_state + h * s.state * s.value);
      }
      mamba3_group_backward<T>(call.folded, chunk, g, extra, work, sums);
    }
    mamba3_gates_backward<T>(chunk, extra, work, sums);
    mamba3_input_backward<T>(call, chunk, next, work);
  }
  add_row_sums<T>(sums.b_bias, s.heads * s.state, call.shard + s.gradient.b_bias);
  add_row_sums<T>(sums.c_bias, s.heads * s.state, call.shard + s.gradient.c_bias);
  add_row_sums<T>(sums.b_norm, s.state, call.shard + s.gradient.b_norm);
  add_row_sums<T>(sums.c_norm, s.state, call.shard + s.gradient.c_norm);
  add_row_sums<T>(sums.dt_bias, s.heads, call.shard + s.gradient.dt_bias);
  add_row_sums<T>(sums.d, s.heads, call.shard + s.gradient.d);
  if (call.d_state != nullptr) {
    mamba3_end_backward<T>(s, call, work);
    if (call.stillness != T(0)) mamba3_stillness_of_initial<T>(s, call, all_extra);
  }
  return stillness;
}

}  // namespace schemamem::SCHEMAMEM_ISA
