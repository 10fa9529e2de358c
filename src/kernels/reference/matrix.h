#pragma once

// Scalar double matrices for the references: plain loops that share nothing with the kernels.

#include <cmath>
#include <cstddef>
#include <vector>

namespace schemamem::reference {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

inline Matrix zeros(std::size_t rows, std::size_t columns) { return Matrix(rows, Vector(columns, 0.0)); }
inline Matrix zeros_like(const Matrix& a) { return zeros(a.size(), a[0].size()); }

inline double sigmoid(double z) { return 1.0 / (1.0 + std::exp(-z)); }
inline double silu(double z) { return z * sigmoid(z); }
inline double d_silu(double z) { return sigmoid(z) * (1.0 + z * (1.0 - sigmoid(z))); }
inline double dot(const Vector& a, const Vector& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

inline Matrix transposed(const Matrix& a) {
  Matrix t = zeros(a[0].size(), a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a[i].size(); ++j) t[j][i] = a[i][j];
  }
  return t;
}
inline Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix c = zeros(a.size(), b[0].size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < b.size(); ++k) {
      for (std::size_t j = 0; j < b[k].size(); ++j) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}
inline Matrix operator*(Matrix a, double factor) {
  for (Vector& row : a) {
    for (double& value : row) value *= factor;
  }
  return a;
}
inline Matrix& operator+=(Matrix& a, const Matrix& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a[i].size(); ++j) a[i][j] += b[i][j];
  }
  return a;
}
inline Matrix operator+(Matrix a, const Matrix& b) { return a += b; }
inline Matrix operator-(const Matrix& a, const Matrix& b) { return a + b * -1.0; }

/// f(entry, ...) for the corresponding entries of matrices of one shape.
template <class F, class... M>
Matrix each(F f, const Matrix& a, const M&... more) {
  Matrix result = zeros_like(a);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a[i].size(); ++j) result[i][j] = f(a[i][j], more[i][j]...);
  }
  return result;
}

}  // namespace schemamem::reference
