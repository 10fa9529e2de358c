#pragma once

#include "kernels/rows.h"

namespace schemamem::SCHEMAMEM_ISA {

/// y = gain * x / sqrt(mean(x^2) + eps), row by row. Rows are padded to whole vectors with zeros; the mean is over
/// `width`. `inverse` keeps 1 / sqrt(...) of each row for the backward pass.
template <class T, class Padded>
[[gnu::always_inline]] inline void rms_norm_forward(const T* x, const T* gain, T* y, T* inverse, std::size_t rows,
                                                    std::size_t width, Padded padded, T eps) {
  const T per_entry = T(1) / static_cast<T>(width);
  row_sums<T>(
      rows, inverse, [&](std::size_t t) { return dot_lanes<T>(x + t * padded, x + t * padded, padded); },
      [&](Vec<T> squares, std::size_t) { return T(1) / square_root<T>(squares * per_entry + eps); });
  for (std::size_t t = 0; t < rows; ++t) {
    const Vec<T> scale = broadcast<T>(inverse[t]);
    for (std::size_t j = 0; j < padded; j += kLanes<T>) {
      store<T>(y + t * padded + j, load<T>(x + t * padded + j) * scale * load<T>(gain + j));
    }
  }
}

/// d_x += (w - x^ mean(w x^)) / rms with x^ = x / rms and w = d_y * gain;  d_gain += sum over rows of d_y x^.
template <class T, class Padded>
[[gnu::always_inline]] inline void rms_norm_backward(const T* x, const T* gain, const T* inverse, const T* d_y, T* d_x,
                                                     T* d_gain, std::size_t rows, std::size_t width, Padded padded) {
  const T per_entry = T(1) / static_cast<T>(width);
  for (std::size_t first = 0; first < rows; first += kLanes<T>) {
    const std::size_t count = rows - first < kLanes<T> ? rows - first : kLanes<T>;
    T means[kLanes<T>];
    row_sums<T>(
        count, means,
        [&](std::size_t i) {
          const std::size_t t = first + i;
          Vec<T> sum{};
          for (std::size_t j = 0; j < padded; j += kLanes<T>) {
            const Vec<T> upstream = load<T>(d_y + t * padded + j) * load<T>(x + t * padded + j) * inverse[t];
            sum = multiply_add<T>(upstream, load<T>(gain + j), sum);
          }
          return sum;
        },
        [&](Vec<T> sum, std::size_t) { return sum * per_entry; });
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t t = first + i;
      const T scale = inverse[t];
      const T pull = scale * scale * means[i];
      for (std::size_t j = 0; j < padded; j += kLanes<T>) {
        const Vec<T> w = load<T>(d_y + t * padded + j) * load<T>(gain + j) * scale;
        store<T>(d_x + t * padded + j, load<T>(d_x + t * padded + j) + (w - load<T>(x + t * padded + j) * pull));
      }
    }
  }
  for (std::size_t j = 0; j < padded; j += kLanes<T>) {
    Vec<T> sum = load<T>(d_gain + j);
    for (std::size_t t = 0; t < rows; ++t) {
      sum = multiply_add<T>(load<T>(d_y + t * padded + j), load<T>(x + t * padded + j) * inverse[t], sum);
    }
    store<T>(d_gain + j, sum);
  }
}

}  // namespace schemamem::SCHEMAMEM_ISA
