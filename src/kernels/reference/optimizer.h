#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace schemamem::reference::optimizer {

/// Equations of kernels/bce.h, kernels/optimizer.h, term by term.

/// -y log sigmoid(z) - (1 - y) log(1 - sigmoid(z))
inline double bit_cross_entropy(double z, double y) {
  const double p = 1 / (1 + std::exp(-z));
  return -y * std::log(p) - (1 - y) * std::log1p(-p);
}

struct AdamState {
  double w = 0, m = 0, v = 0;
};
inline AdamState adamw(AdamState s, double g, double rate, double b1, double b2, double epsilon, double decay,
                       int step) {
  s.m = b1 * s.m + (1 - b1) * g;
  s.v = b2 * s.v + (1 - b2) * g * g;
  const double m_hat = s.m / (1 - std::pow(b1, step)), v_hat = s.v / (1 - std::pow(b2, step));
  s.w -= rate * (decay * s.w + m_hat / (std::sqrt(v_hat) + epsilon));
  return s;
}

using DenseMatrix = std::vector<std::vector<double>>;

inline DenseMatrix times(const DenseMatrix& a, const DenseMatrix& b) {
  DenseMatrix c(a.size(), std::vector<double>(b[0].size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b[0].size(); ++j)
      for (std::size_t k = 0; k < b.size(); ++k) c[i][j] += a[i][k] * b[k][j];
  return c;
}
inline DenseMatrix transposed(const DenseMatrix& a) {
  DenseMatrix t(a[0].size(), std::vector<double>(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a[0].size(); ++j) t[j][i] = a[i][j];
  return t;
}
inline DenseMatrix newton_schulz(DenseMatrix x) {
  if (x.size() > x[0].size()) return transposed(newton_schulz(transposed(x)));
  double norm = 0;
  for (const auto& row : x)
    for (const double value : row) norm += value * value;
  norm = std::sqrt(norm);
  for (auto& row : x)
    for (double& value : row) value /= norm;
  for (int iteration = 0; iteration < 5; ++iteration) {
    const DenseMatrix a = times(x, transposed(x)), a2 = times(a, a), ax = times(a, x), a2x = times(a2, x);
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t j = 0; j < x[0].size(); ++j) x[i][j] = 3.4445 * x[i][j] - 4.7750 * ax[i][j] + 2.0315 * a2x[i][j];
  }
  return x;
}

}  // namespace schemamem::reference::optimizer
