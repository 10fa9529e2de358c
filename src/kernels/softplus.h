#pragma once

#include "kernels/vector_math.h"

namespace schemamem::SCHEMAMEM_ISA {

/// ln(1 + z) for z in [0, 1], precise for small z too: 2 artanh(w) = 2 (w + w^3/3 + w^5/5 + ...), w = z / (2 + z) <=
/// 1/3.
template <class T>
[[gnu::always_inline]] inline Vec<T> log_one_plus(Vec<T> z) {
  constexpr int kTerms = sizeof(T) == 4 ? 8 : 17;  // the first term left out is below eps / 4
  const Vec<T> w = z / (z + T(2));
  const Vec<T> square = w * w;
  Vec<T> sum = broadcast<T>(T(1) / T(2 * kTerms - 1));
#pragma GCC unroll 16
  for (int n = 2; n <= kTerms; ++n) sum = multiply_add<T>(sum, square, broadcast<T>(T(1) / T(2 * (kTerms - n) + 1)));
  return T(2) * w * sum;
}

/// ln(1 + e^x) = max(x, 0) + ln(1 + e^-|x|).
template <class T>
[[gnu::always_inline]] inline Vec<T> softplus(Vec<T> x) {
  return max<T>(x, Vec<T>{}) + log_one_plus<T>(exponential<T>(-absolute<T>(x)));
}

}  // namespace schemamem::SCHEMAMEM_ISA
