#pragma once

// Gradients that enter at single tokens: that of the final state, and the stillness term
//
//   weight * sum over segments of mean (S_end - S_begin)^2,   S_t the state (not the shifted one) after t tokens.
//
// A gradient dS at the state behind token t, the i-th of its chunk, reaches
//   ek_j += e^{c_i - c_j} v_j dS,  ev_j += e^{c_i - c_j} dS k_j   for j < i,     E_in += e^{c_i} dS,
//   dk_i += gamma_i v_i dS,  dv_i += gamma_i dS k_i,  dgamma_i += v_i^T dS k_i,  and d(A Dt) through <dS, P_i>.

#include "models/mamba3/kernels.h"
#include "models/mamba3/tape.h"
#include "models/mamba3/work.h"

namespace schemamem::SCHEMAMEM_ISA {

/// Whether the state after `border` tokens ends one of the chunk's tokens.
template <class T, class S>
[[gnu::always_inline]] inline bool holds(const Mamba3Chunk<T, S>& chunk, std::size_t border) {
  return border > chunk.first && border <= chunk.first + chunk.tokens;
}

/// Prepares `extra` for a chunk; false if nothing enters there.
template <class T, class S>
[[gnu::always_inline]] inline bool mamba3_extra(const mamba3::Backward<T>& call, const Mamba3Chunk<T, S>& chunk,
                                                const mamba3::Extra<T*>& extra) {
  using namespace mamba3;
  const S& s = chunk.s;
  const bool ends = call.d_state != nullptr && holds(chunk, call.tokens);
  bool enters = ends;
  for (std::size_t i = 0; call.stillness != T(0) && i < call.segment_count; ++i) {
    enters = enters || holds(chunk, call.segments[i].begin) || holds(chunk, call.segments[i].end);
  }
  if (!enters) return false;
  for (std::size_t i = 0; i < s.heads * s.state * kChunk; ++i) extra.key[i] = 0;
  for (std::size_t i = 0; i < s.heads * s.value * kChunk; ++i) extra.value[i] = 0;
  for (std::size_t i = 0; i < s.heads * kChunk; ++i) extra.own_write[i] = extra.read_dot[i] = 0;
  if (ends) {
    T* const key = extra.key + chunk.tokens - 1;
    T* const value = extra.value + chunk.tokens - 1;
    for (std::size_t n = 0; n < s.heads * s.state; ++n) key[n * kChunk] = call.d_state[s.stream.k + n];
    for (std::size_t p = 0; p < s.heads * s.value; ++p) value[p * kChunk] = call.d_state[s.stream.v + p];
  }
  return true;
}

/// S of one head, [N, P], after `tokens` tokens.
template <class T, class S>
[[gnu::always_inline]] inline void mamba3_state_after(const S& s, const mamba3::Backward<T>& call, std::size_t tokens,
                                                      std::size_t h, T* state) {
  using namespace mamba3;
  if (tokens == 0) {
    transpose<T>(call.tape[kTapeInitial] + s.stream.ssm + h * s.value * s.state, s.state, s.value, s.state, state,
                 s.value);
    return;
  }
  const Mamba3Chunk<T, S> chunk = mamba3_chunk<T>(s, call.tape, call.tokens, (tokens - 1) / kChunk);
  const std::size_t last = (tokens - 1) % kChunk;
  const T* const log = chunk.gate(kGateLog, h);
  const T kept = chunk.gate(kGateIn, h)[last];
  for (std::size_t i = 0; i < s.state * s.value; i += kLanes<T>) {
    store<T>(state + i, kept * load<T>(chunk.state_of(h) + i));
  }
  for (std::size_t j = 0; j <= last; ++j) {
    const T weight = j == last ? chunk.gate(kGateGamma, h)[j]
                               : chunk.gate(kGateStrength, h)[j] * exponential_of<T>(log[last] - log[j]);
    T v[S::kMostValue];
    for (std::size_t p = 0; p < s.value; ++p) v[p] = weight * chunk.value_of(h)[p * kChunk + j];
    for (std::size_t n = 0; n < s.state; ++n) {
      const Vec<T> k = broadcast<T>(chunk.key_of(h)[n * kChunk + j]);
      for (std::size_t p = 0; p < s.value; p += kLanes<T>) {
        store<T>(state + n * s.value + p, multiply_add<T>(k, load<T>(v + p), load<T>(state + n * s.value + p)));
      }
    }
  }
}

/// Lets extra.change enter behind token `i` of the chunk, whose state is `state`.
template <class T, class S>
[[gnu::always_inline]] inline void mamba3_enter(const Mamba3Chunk<T, S>& chunk, std::size_t h, std::size_t i,
                                                const T* state, const mamba3::BackwardWork<T*>& work,
                                                const mamba3::Extra<T*>& extra) {
  using namespace mamba3;
  const S& s = chunk.s;
  const T* const log = chunk.gate(kGateLog, h);
  const T gamma = chunk.gate(kGateGamma, h)[i], kept = chunk.gate(kGateIn, h)[i];
  T* const d_state = work.d_state + h * s.state * s.value;
  Vec<T> inner{};
  for (std::size_t e = 0; e < s.state * s.value; e += kLanes<T>) {
    const Vec<T> change = load<T>(extra.change + e);
    inner = multiply_add<T>(change, load<T>(state + e), inner);
    store<T>(d_state + e, multiply_add<T>(change, broadcast<T>(kept), load<T>(d_state + e)));
  }
  for (std::size_t j = 0; j < kChunk; ++j) {
    extra.before[j] = j < i ? exponential_of<T>(log[i] - log[j]) : T(0);
    extra.at[j] = j == i ? T(1) : T(0);
  }
  for_blocks<T>(s.state, Fixed<kChunk>{}, [&](auto& tile, std::size_t n, std::size_t j) {
    accumulate<T>(tile, {extra.change, s.value, 1}, {chunk.value_of(h), kChunk}, n, j, s.value);
    tile.store_to(extra.change_value + n * kChunk + j, kChunk);
  });
  for_blocks<T>(s.value, Fixed<kChunk>{}, [&](auto& tile, std::size_t p, std::size_t j) {
    accumulate<T>(tile, {extra.change, 1, s.value}, {chunk.key_of(h), kChunk}, p, j, s.state);
    tile.store_to(extra.change_key + p * kChunk + j, kChunk);
  });
  T* const d_write_key = work.d_write_key + h % s.heads_of_group * s.state * kChunk;
  T* const extra_key = extra.key + h * s.state * kChunk;
  T* const extra_value = extra.value + h * s.value * kChunk;
  T own = 0;  // v_i^T dS k_i
  for_row<T>([&](std::size_t j) {
    const Vec<T> before = load<T>(extra.before + j), at = load<T>(extra.at + j);
    Vec<T> dot{};
    const auto share = [&](T* earlier, T* own_place, Vec<T> product) {
      store<T>(earlier, multiply_add<T>(before, product, load<T>(earlier)));
      store<T>(own_place, multiply_add<T>(gamma * at, product, load<T>(own_place)));
    };
    for (std::size_t e = j; e < s.state * kChunk; e += kChunk) {
      const Vec<T> product = load<T>(extra.change_value + e);
      share(d_write_key + e, extra_key + e, product);
      dot = multiply_add<T>(at * product, load<T>(chunk.key_of(h) + e), dot);
    }
    for (std::size_t e = j; e < s.value * kChunk; e += kChunk) {
      share(work.d_write_value + e, extra_value + e, load<T>(extra.change_key + e));
    }
    own += horizontal_sum<T>(dot);
  });
  extra.own_write[h * kChunk + i] += own;
  extra.read_dot[h * kChunk + i] += horizontal_sum<T>(inner) - gamma * own;
}

/// extra.change = factor (S_end - S_begin) of one segment and head; returns sum (S_end - S_begin)^2.
template <class T, class S>
[[gnu::always_inline]] inline T mamba3_change(const S& s, const mamba3::Backward<T>& call, const Segment& segment,
                                              std::size_t h, T factor, const mamba3::Extra<T*>& extra) {
  using namespace mamba3;
  mamba3_state_after<T>(s, call, segment.begin, h, extra.from);
  mamba3_state_after<T>(s, call, segment.end, h, extra.to);
  Vec<T> squares{};
  for (std::size_t e = 0; e < s.state * s.value; e += kLanes<T>) {
    const Vec<T> change = load<T>(extra.to + e) - load<T>(extra.from + e);
    squares = multiply_add<T>(change, change, squares);
    store<T>(extra.change + e, change * factor);
  }
  return horizontal_sum<T>(squares);
}

/// The stillness term of one head, for the borders in this chunk. Returns the value of the segments that end here.
template <class T, class S>
[[gnu::always_inline]] inline T mamba3_stillness(const mamba3::Backward<T>& call, const Mamba3Chunk<T, S>& chunk,
                                                 std::size_t h, const mamba3::BackwardWork<T*>& work,
                                                 const mamba3::Extra<T*>& extra) {
  const S& s = chunk.s;
  T value = 0;
  if (call.stillness == T(0)) return value;
  const T factor = T(2) * call.stillness / T(s.heads * s.state * s.value);
  for (std::size_t i = 0; i < call.segment_count; ++i) {
    const Segment& segment = call.segments[i];
    if (holds(chunk, segment.end)) {
      value += mamba3_change<T>(s, call, segment, h, factor, extra) / T(s.heads * s.state * s.value);
      mamba3_enter<T>(chunk, h, segment.end - 1 - chunk.first, extra.to, work, extra);
    }
    if (holds(chunk, segment.begin)) {
      mamba3_change<T>(s, call, segment, h, -factor, extra);
      mamba3_enter<T>(chunk, h, segment.begin - 1 - chunk.first, extra.from, work, extra);
    }
  }
  return value;
}

/// The term's gradient with respect to the initial state, for segments that begin with the first token.
template <class T, class S>
[[gnu::always_inline]] inline void mamba3_stillness_of_initial(const S& s, const mamba3::Backward<T>& call,
                                                               const mamba3::Extra<T*>& extra) {
  using namespace mamba3;
  for (std::size_t i = 0; i < call.segment_count; ++i) {
    if (call.segments[i].begin != 0) continue;
    for (std::size_t h = 0; h < s.heads; ++h) {
      mamba3_change<T>(s, call, call.segments[i], h, T(-2) * call.stillness / T(s.heads * s.state * s.value), extra);
      T* const d_ssm = call.d_state + s.stream.ssm + h * s.value * s.state;
      for (std::size_t n = 0; n < s.state; ++n) {
        for (std::size_t p = 0; p < s.value; ++p) d_ssm[p * s.state + n] += extra.change[n * s.value + p];
      }
    }
  }
}

}  // namespace schemamem::SCHEMAMEM_ISA
