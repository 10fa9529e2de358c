#pragma once

#include "kernels/product.h"

namespace schemamem::SCHEMAMEM_ISA {

/// sums[t] = finish(sum of the lanes of row_vector(t)), rows a register at a time. A row's sum has the same bits
/// whichever rows share its register.
template <class T, class RowVector, class Finish>
[[gnu::always_inline]] inline void row_sums(std::size_t rows, T* sums, const RowVector& row_vector,
                                            const Finish& finish) {
  for (std::size_t first = 0; first < rows; first += kLanes<T>) {
    const std::size_t count = rows - first < kLanes<T> ? rows - first : kLanes<T>;
    Vec<T> partial[kLanes<T>];
    for (std::size_t i = 0; i < count; ++i) partial[i] = row_vector(first + i);
    for (std::size_t i = count; i < kLanes<T>; ++i) partial[i] = Vec<T>{};
    const Vec<T> total = finish(sums_of_lanes<T>(partial), first);
    if (count == kLanes<T>) {
      store<T>(sums + first, total);
    } else {
      for (std::size_t i = 0; i < count; ++i) sums[first + i] = total[i];
    }
  }
}

template <class T, class RowVector>
[[gnu::always_inline]] inline void row_sums(std::size_t rows, T* sums, const RowVector& row_vector) {
  row_sums<T>(rows, sums, row_vector, [](Vec<T> total, std::size_t) { return total; });
}

/// The lanes of sum over j of a[j] b[j].
template <class T, class Width>
[[gnu::always_inline]] inline Vec<T> dot_lanes(const T* a, const T* b, Width width) {
  Vec<T> sum{};
  for (std::size_t j = 0; j < width; j += kLanes<T>) sum = multiply_add<T>(load<T>(a + j), load<T>(b + j), sum);
  return sum;
}

}  // namespace schemamem::SCHEMAMEM_ISA
