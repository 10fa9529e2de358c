#pragma once

#include "kernels/product.h"

namespace schemamem::SCHEMAMEM_ISA {

/// [a0 + a1, a2 + a3, ..., b0 + b1, ...].
template <class T, std::size_t... I>
[[gnu::always_inline]] inline Vec<T> add_neighbours(Vec<T> a, Vec<T> b, std::index_sequence<I...>) {
  return __builtin_shufflevector(a, b, static_cast<int>(2 * I)...) +
         __builtin_shufflevector(a, b, static_cast<int>(2 * I + 1)...);
}

/// out[i] = sum of the lanes of partial[i], for `Count` vectors at once (a multiple of the lanes): two shuffles a sum
/// instead of a chain of log2(lanes) for each.
template <class T, int Count>
[[gnu::always_inline]] inline void lane_sums(const Vec<T>* partial, T* out) {
  static_assert(Count % kLanes<T> == 0);
  if constexpr (kLanes<T> == 1) {
    for (int i = 0; i < Count; ++i) out[i] = partial[i][0];
  } else {
    for (int first = 0; first < Count; first += kLanes<T>) {
      Vec<T> m[kLanes<T>];
#pragma GCC unroll 16
      for (int i = 0; i < kLanes<T>; ++i) m[i] = partial[first + i];
#pragma GCC unroll 4
      for (int half = kLanes<T> / 2; half > 0; half /= 2) {
#pragma GCC unroll 8
        for (int i = 0; i < half; ++i) {
          m[i] = add_neighbours<T>(m[2 * i], m[2 * i + 1], std::make_index_sequence<kLanes<T>>{});
        }
      }
      store<T>(out + first, m[0]);
    }
  }
}

}  // namespace schemamem::SCHEMAMEM_ISA
