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
template <class T>
[[gnu::always_inline]] inline bool holds(const Mamba3Chunk<T>& chunk, std::size_t border) {
  return border > chunk.first && border <= chunk.first + chunk.tokens;
}

/// Prepares `extra` for a chunk; false if nothing enters there.
template <class T>
[[gnu::always_inline]] inline bool mamba3_extra(const mamba3::Backward<T>& call, const Mamba3Chunk<T>& chunk,
                                                mamba3::Extra<T>& extra) {
  using namespace mamba3;
  const bool ends = call.d_state != nullptr && holds(chunk, call.tokens);
  bool enters = ends;
  for (std::size_t s = 0; call.stillness != T(0) && s < call.segment_count; ++s) {
    enters = enters || holds(chunk, call.segments[s].begin) || holds(chunk, call.segments[s].end);
  }
  if (!enters) return false;
  for (T& entry : extra.key) entry = 0;
  for (T& entry : extra.value) entry = 0;
  for (T& entry : extra.own_write) entry = 0;
  for (T& entry : extra.read_dot) entry = 0;
  if (ends) {
    T* const key = extra.key + chunk.tokens - 1;
    T* const value = extra.value + chunk.tokens - 1;
    for (std::size_t n = 0; n < kHeads * kState; ++n) key[n * kChunk] = call.d_state[kStateK + n];
    for (std::size_t p = 0; p < kHeads * kValue; ++p) value[p * kChunk] = call.d_state[kStateV + p];
  }
  return true;
}

/// S of one head, [N, P], after `tokens` tokens.
template <class T>
[[gnu::always_inline]] inline void mamba3_state_after(const mamba3::Backward<T>& call, std::size_t tokens,
                                                      std::size_t h, T* state) {
  using namespace mamba3;
  if (tokens == 0) {
    transpose<T>(call.tape[kTapeInitial] + kStateSsm + h * kValue * kState, kState, kValue, kState, state, kValue);
    return;
  }
  const Mamba3Chunk<T> chunk = mamba3_chunk<T>(call.tape, call.tokens, (tokens - 1) / kChunk);
  const std::size_t last = (tokens - 1) % kChunk;
  const T* const log = chunk.gate(kGateLog, h);
  const T kept = chunk.gate(kGateIn, h)[last];
  for (std::size_t i = 0; i < kState * kValue; i += kLanes<T>) {
    store<T>(state + i, kept * load<T>(chunk.state_of(h) + i));
  }
  for (std::size_t j = 0; j <= last; ++j) {
    const T weight = j == last ? chunk.gate(kGateGamma, h)[j]
                               : chunk.gate(kGateStrength, h)[j] * exponential_of<T>(log[last] - log[j]);
    T v[kValue];
    for (std::size_t p = 0; p < kValue; ++p) v[p] = weight * chunk.value_of(h)[p * kChunk + j];
    for (std::size_t n = 0; n < kState; ++n) {
      const Vec<T> k = broadcast<T>(chunk.key_of(h)[n * kChunk + j]);
      for (std::size_t p = 0; p < kValue; p += kLanes<T>) {
        store<T>(state + n * kValue + p, multiply_add<T>(k, load<T>(v + p), load<T>(state + n * kValue + p)));
      }
    }
  }
}

/// Lets extra.change enter behind token `i` of the chunk, whose state is `state`.
template <class T>
[[gnu::always_inline]] inline void mamba3_enter(const Mamba3Chunk<T>& chunk, std::size_t h, std::size_t i,
                                                const T* state, mamba3::BackwardWork<T>& work,
                                                mamba3::Extra<T>& extra) {
  using namespace mamba3;
  const T* const log = chunk.gate(kGateLog, h);
  const T gamma = chunk.gate(kGateGamma, h)[i], kept = chunk.gate(kGateIn, h)[i];
  T* const d_state = work.d_state + h * kState * kValue;
  Vec<T> inner{};
  for (std::size_t e = 0; e < kState * kValue; e += kLanes<T>) {
    const Vec<T> change = load<T>(extra.change + e);
    inner = multiply_add<T>(change, load<T>(state + e), inner);
    store<T>(d_state + e, multiply_add<T>(change, broadcast<T>(kept), load<T>(d_state + e)));
  }
  for (std::size_t j = 0; j < kChunk; ++j) {
    extra.before[j] = j < i ? exponential_of<T>(log[i] - log[j]) : T(0);
    extra.at[j] = j == i ? T(1) : T(0);
  }
  for_blocks<T, kState, kChunk>([&](auto& tile, std::size_t n, std::size_t j) {
    accumulate<T>(tile, {extra.change, kValue, 1}, {chunk.value_of(h), kChunk}, n, j, Fixed<kValue>{});
    tile.store_to(extra.change_value + n * kChunk + j, kChunk);
  });
  for_blocks<T, kValue, kChunk>([&](auto& tile, std::size_t p, std::size_t j) {
    accumulate<T>(tile, {extra.change, 1, kValue}, {chunk.key_of(h), kChunk}, p, j, Fixed<kState>{});
    tile.store_to(extra.change_key + p * kChunk + j, kChunk);
  });
  T* const d_write_key = work.d_write_key + h % kHeadsOfGroup * kState * kChunk;
  T* const extra_key = extra.key + h * kState * kChunk;
  T* const extra_value = extra.value + h * kValue * kChunk;
  T own = 0;  // v_i^T dS k_i
  for_row<T>([&](std::size_t j) {
    const Vec<T> before = load<T>(extra.before + j), at = load<T>(extra.at + j);
    Vec<T> dot{};
    const auto share = [&](T* earlier, T* own_place, Vec<T> product) {
      store<T>(earlier, multiply_add<T>(before, product, load<T>(earlier)));
      store<T>(own_place, multiply_add<T>(gamma * at, product, load<T>(own_place)));
    };
    for (std::size_t e = j; e < kState * kChunk; e += kChunk) {
      const Vec<T> product = load<T>(extra.change_value + e);
      share(d_write_key + e, extra_key + e, product);
      dot = multiply_add<T>(at * product, load<T>(chunk.key_of(h) + e), dot);
    }
    for (std::size_t e = j; e < kValue * kChunk; e += kChunk) {
      share(work.d_write_value + e, extra_value + e, load<T>(extra.change_key + e));
    }
    own += horizontal_sum<T>(dot);
  });
  extra.own_write[h * kChunk + i] += own;
  extra.read_dot[h * kChunk + i] += horizontal_sum<T>(inner) - gamma * own;
}

/// extra.change = factor (S_end - S_begin) of one segment and head; returns sum (S_end - S_begin)^2.
template <class T>
[[gnu::always_inline]] inline T mamba3_change(const mamba3::Backward<T>& call, const Segment& segment, std::size_t h,
                                              T factor, mamba3::Extra<T>& extra) {
  using namespace mamba3;
  mamba3_state_after<T>(call, segment.begin, h, extra.begin);
  mamba3_state_after<T>(call, segment.end, h, extra.end);
  Vec<T> squares{};
  for (std::size_t e = 0; e < kState * kValue; e += kLanes<T>) {
    const Vec<T> change = load<T>(extra.end + e) - load<T>(extra.begin + e);
    squares = multiply_add<T>(change, change, squares);
    store<T>(extra.change + e, change * factor);
  }
  return horizontal_sum<T>(squares);
}

inline constexpr std::size_t kMamba3StateElements = mamba3::kHeads * mamba3::kState * mamba3::kValue;

/// The stillness term of one head, for the borders in this chunk. Returns the value of the segments that end here.
template <class T>
[[gnu::always_inline]] inline T mamba3_stillness(const mamba3::Backward<T>& call, const Mamba3Chunk<T>& chunk,
                                                 std::size_t h, mamba3::BackwardWork<T>& work,
                                                 mamba3::Extra<T>& extra) {
  T value = 0;
  if (call.stillness == T(0)) return value;
  const T factor = T(2) * call.stillness / T(kMamba3StateElements);
  for (std::size_t s = 0; s < call.segment_count; ++s) {
    const Segment& segment = call.segments[s];
    if (holds(chunk, segment.end)) {
      value += mamba3_change<T>(call, segment, h, factor, extra) / T(kMamba3StateElements);
      mamba3_enter<T>(chunk, h, segment.end - 1 - chunk.first, extra.end, work, extra);
    }
    if (holds(chunk, segment.begin)) {
      mamba3_change<T>(call, segment, h, -factor, extra);
      mamba3_enter<T>(chunk, h, segment.begin - 1 - chunk.first, extra.begin, work, extra);
    }
  }
  return value;
}

/// The term's gradient with respect to the initial state, for segments that begin with the first token.
template <class T>
[[gnu::always_inline]] inline void mamba3_stillness_of_initial(const mamba3::Backward<T>& call,
                                                               mamba3::Extra<T>& extra) {
  using namespace mamba3;
  for (std::size_t s = 0; s < call.segment_count; ++s) {
    if (call.segments[s].begin != 0) continue;
    for (std::size_t h = 0; h < kHeads; ++h) {
      mamba3_change<T>(call, call.segments[s], h, T(-2) * call.stillness / T(kMamba3StateElements), extra);
      T* const d_ssm = call.d_state + kStateSsm + h * kValue * kState;
      for (std::size_t n = 0; n < kState; ++n) {
        for (std::size_t p = 0; p < kValue; ++p) d_ssm[p * kState + n] += extra.change[n * kValue + p];
      }
    }
  }
}

}  // namespace schemamem::SCHEMAMEM_ISA
