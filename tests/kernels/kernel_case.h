#pragma once

#include <cmath>
#include <vector>

#include "base/rng.h"
#include "kernels/reference/matrix.h"
#include "support/guarded.h"

namespace schemamem::test {

/// Standard normal numbers, the same for the same seed.
template <class T>
std::vector<T> random_values(std::size_t count, std::uint64_t seed, double scale = 1) {
  Rng rng = Rng::stream(seed, Purpose::kTest, count);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(scale * rng.normal());
  return values;
}

/// Rows of `width` numbers, each padded with zeros to `padded`; and back to a matrix, without the padding.
template <class T>
std::vector<T> random_rows(std::size_t rows, std::size_t width, std::size_t padded, std::uint64_t seed,
                           double scale = 1) {
  std::vector<T> values = random_values<T>(rows * padded, seed, scale);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % padded >= width) values[i] = 0;
  }
  return values;
}
template <class Values>
reference::Matrix to_matrix(const Values& values, std::size_t rows, std::size_t width, std::size_t row) {
  reference::Matrix m = reference::zeros(rows, width);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < width; ++j) m[i][j] = static_cast<double>(values[i * row + j]);
  }
  return m;
}

/// max|a - b| / (max|b| + floor); NaN is infinitely far.
inline double distance(const reference::Matrix& a, const reference::Matrix& b, double floor = 1e-3) {
  double off = 0, largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a[i].size(); ++j) {
      if (!std::isfinite(a[i][j])) return HUGE_VAL;
      off = std::max(off, std::abs(a[i][j] - b[i][j]));
      largest = std::max(largest, std::abs(b[i][j]));
    }
  }
  return off / (largest + floor);
}

}  // namespace schemamem::test
