#pragma once

#include "kernels/product.h"

namespace schemamem::SCHEMAMEM_ISA {

/// A write that pulls (docs/theory.md): token after token, every slot goes towards what is written, by its weight,
///
///   S_m <- S_m + P[t, m] (G_t - S_m),    0 <= P <= 1,    S in (-pi, pi]
///
/// instead of having P G added to it. A slot that a token has all the weight of forgets what it held.

/// A phase of [0, 2 pi] as an angle in (-pi, pi].
template <class T>
[[gnu::always_inline]] inline Vec<T> centred(Vec<T> phase) {
  constexpr double kTurn = 6.283185307179586476925;
  return phase > static_cast<T>(kTurn / 2) ? phase - static_cast<T>(kTurn) : phase;
}

/// P [rows, M] from powers and 1 / row sum.
template <class T>
[[gnu::always_inline]] inline void pull_weights(const T* powers, const T* inverse, std::size_t rows, std::size_t slots,
                                                T* weights) {
  for (std::size_t t = 0; t < rows; ++t) {
    for (std::size_t m = 0; m < slots; m += kLanes<T>)
      store<T>(weights + t * slots + m, load<T>(powers + t * slots + m) * inverse[t]);
  }
}

template <class T>
struct PullForward {
  const T* weights;  // P [rows, M]
  const T* written;  // G [rows, D]
  const T* state;    // S [M, D] before the chunk, in [0, 2 pi]
  T* pending;        // [M, D]: what the chunk has changed so far
};

/// pending <- pending + P (G - S - pending), token after token: the same bits however a chunk is cut into calls.
template <class T, class Slots, class Width>
[[gnu::noinline]] void pull_forward(std::size_t rows, Slots slots, Width width, const PullForward<T>& a) {
  constexpr std::size_t kBlock = kLanes<T> < 8 ? kLanes<T> : 8;  // slots at once; their number is a multiple
  for (std::size_t m = 0; m < slots; m += kBlock) {
    for (std::size_t j = 0; j < width; j += kLanes<T>) {
      Vec<T> held[kBlock], change[kBlock];
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kBlock; ++i) {
        held[i] = centred<T>(load<T>(a.state + (m + i) * width + j));
        change[i] = load<T>(a.pending + (m + i) * width + j);
      }
      for (std::size_t t = 0; t < rows; ++t) {
        const Vec<T> written = load<T>(a.written + t * width + j);
        const T* const weights = a.weights + t * slots + m;
#pragma GCC unroll 8
        for (std::size_t i = 0; i < kBlock; ++i)
          change[i] = multiply_add<T>(broadcast<T>(weights[i]), (written - held[i]) - change[i], change[i]);
      }
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kBlock; ++i) store<T>(a.pending + (m + i) * width + j, change[i]);
    }
  }
}

template <class T>
struct PullBackward {
  const T* powers;    // unnormalised P [rows, M]
  const T* inverse;   // 1 / row sum [rows]
  const T* state;     // S [M, D] before the chunk, in [0, 2 pi]
  const T* d_change;  // [M, D]: the gradient g of the change
  T* scores;          // [rows, M], in: G g^T; out: P dL/dP
  T* kept;     // [rows, M], out: how much of G_t is in the slot behind the chunk, P_t (1 - P_t+1) (1 - P_t+2) ...
  T* along;    // [2, M], scratch
  T* offset;   // [rows], out: the sum of P dL/dP over the slots
  T* d_state;  // [M, D]: what is left of S behind the chunk has the gradient; the rest is taken off here
};

/// Of what a slot held, (1 - P_1) (1 - P_2) ... is left, and of G_t `kept`. With s_t = g . S_t, which follows the same
/// recurrence as S itself, dL/dP_t = (1 - P_t+1) (1 - P_t+2) ... (g . G_t - s_t-1).
template <class T, class Slots, class Width>
[[gnu::noinline]] void pull_backward(std::size_t rows, Slots slots, Width width, const PullBackward<T>& a) {
  T *const along = a.along, *const later = a.along + slots;
  for (std::size_t m = 0; m < slots; ++m) {
    Vec<T> sum{};
    for (std::size_t j = 0; j < width; j += kLanes<T>) {
      const std::size_t at = m * width + j;
      sum = multiply_add<T>(load<T>(a.d_change + at), centred<T>(load<T>(a.state + at)), sum);
    }
    along[m] = horizontal_sum<T>(sum);
    later[m] = 1;
  }
  for (std::size_t t = rows; t-- > 0;) {
    const Vec<T> inverse = broadcast<T>(a.inverse[t]);
    for (std::size_t m = 0; m < slots; m += kLanes<T>) {
      const Vec<T> left = load<T>(later + m), kept = load<T>(a.powers + t * slots + m) * inverse * left;
      store<T>(a.kept + t * slots + m, kept);
      store<T>(later + m, left - kept);
    }
  }
  for (std::size_t t = 0; t < rows; ++t) {
    const Vec<T> inverse = broadcast<T>(a.inverse[t]);
    Vec<T> sum{};
    for (std::size_t m = 0; m < slots; m += kLanes<T>) {
      const std::size_t at = t * slots + m;
      const Vec<T> before = load<T>(along + m), ahead = load<T>(a.scores + at) - before;
      const Vec<T> term = load<T>(a.kept + at) * ahead;
      store<T>(a.scores + at, term);
      store<T>(along + m, multiply_add<T>(load<T>(a.powers + at) * inverse, ahead, before));
      sum += term;
    }
    a.offset[t] = horizontal_sum<T>(sum);
  }
  for (std::size_t m = 0; m < slots; ++m) {
    const Vec<T> taken = broadcast<T>(later[m] - T(1));
    for (std::size_t j = 0; j < width; j += kLanes<T>) {
      const std::size_t at = m * width + j;
      store<T>(a.d_state + at, multiply_add<T>(taken, load<T>(a.d_change + at), load<T>(a.d_state + at)));
    }
  }
}

}  // namespace schemamem::SCHEMAMEM_ISA
