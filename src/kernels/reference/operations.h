#pragma once

// The operations of SchemaMem in scalar double, each with its derivative.

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kernels/reference/matrix.h"

namespace schemamem::reference {

/// y = gain x / sqrt(mean(x^2) + eps)
inline double root_mean_square(const Vector& x) { return std::sqrt(dot(x, x) / static_cast<double>(x.size()) + 1e-6); }
inline Matrix rms_norm(const Matrix& x, const Matrix& gain) {
  Matrix y = x;
  for (std::size_t t = 0; t < x.size(); ++t) {
    for (std::size_t j = 0; j < x[t].size(); ++j) y[t][j] = gain[0][j] * x[t][j] / root_mean_square(x[t]);
  }
  return y;
}
/// d_x = (w - x^ mean(w x^)) / rms  with  x^ = x / rms, w = gain d_y;   d_gain += sum_t d_y x^
inline Matrix rms_norm_backward(const Matrix& x, const Matrix& gain, const Matrix& d_y, Matrix& d_gain) {
  Matrix d_x = zeros_like(x);
  for (std::size_t t = 0; t < x.size(); ++t) {
    const double rms = root_mean_square(x[t]);
    double mean = 0.0;
    for (std::size_t j = 0; j < x[t].size(); ++j) {
      d_gain[0][j] += d_y[t][j] * x[t][j] / rms;
      mean += gain[0][j] * d_y[t][j] * x[t][j] / rms / static_cast<double>(x[t].size());
    }
    for (std::size_t j = 0; j < x[t].size(); ++j) d_x[t][j] = (gain[0][j] * d_y[t][j] - x[t][j] / rms * mean) / rms;
  }
  return d_x;
}

/// P_tm = e^{s_tm} / sum_m e^{s_tm} over the first `visible(t)` entries of row t; the rest is zero.
template <class Visible>
Matrix softmax(const Matrix& s, Visible visible) {
  Matrix p = zeros_like(s);
  for (std::size_t t = 0; t < s.size(); ++t) {
    const std::size_t count = visible(t);
    const double largest = *std::max_element(s[t].begin(), s[t].begin() + static_cast<std::ptrdiff_t>(count));
    double sum = 0.0;
    for (std::size_t m = 0; m < count; ++m) sum += p[t][m] = std::exp(s[t][m] - largest);
    for (std::size_t m = 0; m < count; ++m) p[t][m] /= sum;
  }
  return p;
}
/// The same over all columns and a place without a column, whose score is zero: rows sum to less than one.
inline Matrix softmax_or_nowhere(Matrix s) {
  for (Vector& row : s) row.push_back(0);
  Matrix p = softmax(s, [&](std::size_t t) { return s[t].size(); });
  for (Vector& row : p) row.pop_back();
  return p;
}
/// d_s = P (d_P - sum_m P d_P)
inline Matrix softmax_backward(const Matrix& p, const Matrix& d_p) {
  Matrix d_s = zeros_like(p);
  for (std::size_t t = 0; t < p.size(); ++t) {
    for (std::size_t m = 0; m < p[t].size(); ++m) d_s[t][m] = p[t][m] * (d_p[t][m] - dot(p[t], d_p[t]));
  }
  return d_s;
}

/// phi(Theta) = [cos Theta | sin Theta]
inline Matrix phasor(const Matrix& theta) {
  Matrix phi;
  for (const Vector& row : theta) {
    phi.emplace_back();
    for (const double phase : row) phi.back().push_back(std::cos(phase));
    for (const double phase : row) phi.back().push_back(std::sin(phase));
  }
  return phi;
}
/// d_Theta = -sin Theta d_cos + cos Theta d_sin
inline Matrix phasor_backward(const Matrix& theta, const Matrix& d_phi) {
  Matrix d_theta = zeros_like(theta);
  for (std::size_t m = 0; m < theta.size(); ++m) {
    for (std::size_t j = 0; j < theta[m].size(); ++j) {
      d_theta[m][j] = -std::sin(theta[m][j]) * d_phi[m][j] + std::cos(theta[m][j]) * d_phi[m][theta[m].size() + j];
    }
  }
  return d_theta;
}

/// Rotates the pair (i, i + half) of token t by t * 10000^(-i / half); the backward pass turns the other way.
inline Matrix rope(Matrix x, double direction) {
  const std::size_t half = x[0].size() / 2;
  for (std::size_t t = 0; t < x.size(); ++t) {
    for (std::size_t i = 0; i < half; ++i) {
      const double angle =
          direction * static_cast<double>(t) * std::pow(10'000.0, -static_cast<double>(i) / static_cast<double>(half));
      const double low = x[t][i], high = x[t][i + half];
      x[t][i] = low * std::cos(angle) - high * std::sin(angle);
      x[t][i + half] = high * std::cos(angle) + low * std::sin(angle);
    }
  }
  return x;
}

/// Columns [first, first + count) of a matrix, and back.
inline Matrix columns(const Matrix& a, std::size_t first, std::size_t count) {
  Matrix part = zeros(a.size(), count);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < count; ++j) part[i][j] = a[i][first + j];
  }
  return part;
}
inline void set_columns(Matrix& a, std::size_t first, const Matrix& part) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < part[i].size(); ++j) a[i][first + j] = part[i][j];
  }
}

}  // namespace schemamem::reference
