#pragma once

#include <cmath>

#include "kernels/product.h"

namespace schemamem::SCHEMAMEM_ISA {

/// y = gain * x / sqrt(mean(x^2) + eps), row by row. Rows are padded to whole vectors with zeros; the mean is over
/// `width`. `inverse` keeps 1 / sqrt(...) of each row for the backward pass.
template <class T, class Padded>
[[gnu::always_inline]] inline void rms_norm_forward(const T* x, const T* gain, T* y, T* inverse, std::size_t rows,
                                                    std::size_t width, Padded padded, T eps) {
  for (std::size_t t = 0; t < rows; ++t) {
    Vec<T> squares{};
    for (std::size_t j = 0; j < padded; j += kLanes<T>) {
      const Vec<T> v = load<T>(x + t * padded + j);
      squares = multiply_add<T>(v, v, squares);
    }
    const T scale = T(1) / std::sqrt(horizontal_sum<T>(squares) / static_cast<T>(width) + eps);
    inverse[t] = scale;
    for (std::size_t j = 0; j < padded; j += kLanes<T>) {
      store<T>(y + t * padded + j, load<T>(x + t * padded + j) * scale * load<T>(gain + j));
    }
  }
}

/// d_x += (w - x^ mean(w x^)) / rms with x^ = x / rms and w = d_y * gain;  d_gain += sum over rows of d_y x^.
template <class T, class Padded>
[[gnu::always_inline]] inline void rms_norm_backward(const T* x, const T* gain, const T* inverse, const T* d_y, T* d_x,
                                                     T* d_gain, std::size_t rows, std::size_t width, Padded padded) {
  for (std::size_t t = 0; t < rows; ++t) {
    const T scale = inverse[t];
    Vec<T> product_sum{};
    for (std::size_t j = 0; j < padded; j += kLanes<T>) {
      const Vec<T> normed = load<T>(x + t * padded + j) * scale;
      const Vec<T> upstream = load<T>(d_y + t * padded + j);
      store<T>(d_gain + j, multiply_add<T>(upstream, normed, load<T>(d_gain + j)));
      product_sum = multiply_add<T>(upstream * load<T>(gain + j), normed, product_sum);
    }
    const T mean = horizontal_sum<T>(product_sum) / static_cast<T>(width);
    for (std::size_t j = 0; j < padded; j += kLanes<T>) {
      const Vec<T> normed = load<T>(x + t * padded + j) * scale;
      const Vec<T> w = load<T>(d_y + t * padded + j) * load<T>(gain + j);
      store<T>(d_x + t * padded + j,
               multiply_add<T>(w - normed * mean, broadcast<T>(scale), load<T>(d_x + t * padded + j)));
    }
  }
}

}  // namespace schemamem::SCHEMAMEM_ISA
