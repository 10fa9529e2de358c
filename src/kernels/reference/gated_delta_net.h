#pragma once

#include <array>

#include "kernels/reference/gated_delta.h"

namespace schemamem::reference {

/// The weights of one mixer by their official names, shapes and orientation ([out, in]); also used for gradients.
struct GatedDeltaNetWeights {
  Matrix q_proj, k_proj, v_proj, g_proj, a_proj, b_proj;  // [out, D]
  Matrix q_conv, k_conv, v_conv;                          // [channel, tap]; the last tap is "now"
  Vector a_log, dt_bias, o_norm;                          // [H], [H], [V]
  Matrix o_proj;                                          // [D, H V]
};

inline Vector times(const Matrix& w, const Vector& x) {
  Vector y(w.size(), 0.0);
  for (std::size_t i = 0; i < w.size(); ++i) y[i] = dot(w[i], x);
  return y;
}
/// d_w += d_y x^T, d_x += w^T d_y.
inline void times_backward(const Matrix& w, const Vector& x, const Vector& d_y, Matrix& d_w, Vector& d_x) {
  for (std::size_t i = 0; i < w.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) {
      d_w[i][j] += d_y[i] * x[j];
      d_x[j] += w[i][j] * d_y[i];
    }
  }
}

/// One sequence from the empty state. Keeps what backward needs.
class GatedDeltaNet {
 public:
  static constexpr double kEpsilon = 1e-6;

  /// Gates that are within `floor` of closed, beta = 0 and e^g = 1, are closed.
  GatedDeltaNet(GatedDeltaNetWeights weights, Matrix u, double floor = 0)
      : w_(std::move(weights)), u_(std::move(u)), floor_(floor) {
    const std::array<const Matrix*, 3> projections{&w_.q_proj, &w_.k_proj, &w_.v_proj};
    const std::array<const Matrix*, 3> convolutions{&w_.q_conv, &w_.k_conv, &w_.v_conv};
    for (std::size_t c = 0; c < 3; ++c) {
      for (const Vector& row : u_) raw_[c].push_back(times(*projections[c], row));
      pre_[c] = convolve(*convolutions[c], raw_[c]);
    }
    for (const Vector& row : u_) {
      gate_.push_back(times(w_.g_proj, row));
      a_.push_back(times(w_.a_proj, row));
      b_.push_back(times(w_.b_proj, row));
    }
    for (std::size_t h = 0; h < heads(); ++h) heads_.push_back(run_head(h));
  }

  Matrix outputs() const {
    Matrix y;
    for (std::size_t t = 0; t < u_.size(); ++t) y.push_back(times(w_.o_proj, gated(t)));
    return y;
  }

  struct Gradients {
    GatedDeltaNetWeights weights;
    Matrix u;
  };
  Gradients gradients(const Matrix& d_y) const {
    Gradients d{.weights = w_, .u = zeros(u_.size(), u_[0].size())};
    for (Matrix* m : {&d.weights.q_proj, &d.weights.k_proj, &d.weights.v_proj, &d.weights.g_proj, &d.weights.a_proj,
                      &d.weights.b_proj, &d.weights.q_conv, &d.weights.k_conv, &d.weights.v_conv, &d.weights.o_proj}) {
      *m = zeros(m->size(), (*m)[0].size());
    }
    for (Vector* v : {&d.weights.a_log, &d.weights.dt_bias, &d.weights.o_norm}) *v = Vector(v->size(), 0.0);
    const std::size_t tokens = u_.size(), inner = w_.q_proj.size(), V = width();
    std::array<Matrix, 3> d_pre{zeros(tokens, inner), zeros(tokens, inner), zeros(tokens, inner)};
    std::vector<Matrix> d_o(heads(), zeros(tokens, V));
    for (std::size_t t = 0; t < tokens; ++t) output_backward(t, d_y[t], d, d_o);
    for (std::size_t h = 0; h < heads(); ++h) head_backward(h, d_o[h], d, d_pre);
    const std::array<const Matrix*, 3> projections{&w_.q_proj, &w_.k_proj, &w_.v_proj};
    const std::array<const Matrix*, 3> convolutions{&w_.q_conv, &w_.k_conv, &w_.v_conv};
    const std::array<Matrix*, 3> d_projections{&d.weights.q_proj, &d.weights.k_proj, &d.weights.v_proj};
    const std::array<Matrix*, 3> d_convolutions{&d.weights.q_conv, &d.weights.k_conv, &d.weights.v_conv};
    for (std::size_t c = 0; c < 3; ++c) {
      Matrix d_raw = zeros(tokens, inner);
      for (std::size_t t = 0; t < tokens; ++t) {
        for (std::size_t i = 0; i < inner; ++i) {
          for (std::size_t j = 0; j < 4; ++j) {
            if (t + j < 3) continue;
            (*d_convolutions[c])[i][j] += d_pre[c][t][i] * raw_[c][t + j - 3][i];
            d_raw[t + j - 3][i] += (*convolutions[c])[i][j] * d_pre[c][t][i];
          }
        }
      }
      for (std::size_t t = 0; t < tokens; ++t) {
        times_backward(*projections[c], u_[t], d_raw[t], *d_projections[c], d.u[t]);
      }
    }
    return d;
  }

 private:
  std::size_t heads() const { return w_.a_log.size(); }
  std::size_t width() const { return w_.o_norm.size(); }

  static Matrix convolve(const Matrix& taps, const Matrix& raw) {
    Matrix pre = zeros(raw.size(), taps.size());
    for (std::size_t t = 0; t < raw.size(); ++t) {
      for (std::size_t i = 0; i < taps.size(); ++i) {
        for (std::size_t j = 0; j < 4; ++j) pre[t][i] += t + j < 3 ? 0.0 : taps[i][j] * raw[t + j - 3][i];
      }
    }
    return pre;
  }
  Vector activated(std::size_t c, std::size_t t, std::size_t h) const {
    Vector x;
    for (std::size_t i = h * width(); i < (h + 1) * width(); ++i) x.push_back(silu(pre_[c][t][i]));
    return x;
  }
  static Vector unit(Vector x) {
    const double length = std::sqrt(dot(x, x) + kEpsilon);
    for (double& value : x) value /= length;
    return x;
  }
  std::vector<DeltaToken> run_head(std::size_t h) const {
    std::vector<DeltaToken> tokens(u_.size());
    for (std::size_t t = 0; t < u_.size(); ++t) {
      tokens[t].q = unit(activated(0, t, h));
      tokens[t].k = unit(activated(1, t, h));
      tokens[t].v = activated(2, t, h);
      tokens[t].g = -std::exp(w_.a_log[h]) * std::log1p(std::exp(a_[t][h] + w_.dt_bias[h]));
      tokens[t].beta = sigmoid(b_[t][h]);
      if (1 - std::exp(tokens[t].g) < floor_) tokens[t].g = 0;
      if (tokens[t].beta < floor_) tokens[t].beta = 0;
    }
    gated_delta_forward(tokens, zeros(width(), width()));
    return tokens;
  }
  double root_mean_square(const Vector& o) const {
    return std::sqrt(dot(o, o) / static_cast<double>(width()) + kEpsilon);
  }
  Vector gated(std::size_t t) const {
    Vector n;
    for (std::size_t h = 0; h < heads(); ++h) {
      const Vector& o = heads_[h][t].o;
      for (std::size_t j = 0; j < width(); ++j) {
        n.push_back(w_.o_norm[j] * o[j] / root_mean_square(o) * silu(gate_[t][h * width() + j]));
      }
    }
    return n;
  }
  void output_backward(std::size_t t, const Vector& d_y, Gradients& d, std::vector<Matrix>& d_o) const {
    Vector d_n(w_.o_proj[0].size(), 0.0);
    times_backward(w_.o_proj, gated(t), d_y, d.weights.o_proj, d_n);
    Vector d_gate(d_n.size());
    for (std::size_t h = 0; h < heads(); ++h) {
      const Vector& o = heads_[h][t].o;
      const double rms = root_mean_square(o);
      Vector w(width());
      double mean = 0.0;
      for (std::size_t j = 0; j < width(); ++j) {
        const std::size_t i = h * width() + j;
        const double normed = o[j] / rms;
        d.weights.o_norm[j] += d_n[i] * normed * silu(gate_[t][i]);
        d_gate[i] = d_n[i] * normed * w_.o_norm[j] * d_silu(gate_[t][i]);
        w[j] = d_n[i] * silu(gate_[t][i]) * w_.o_norm[j];
        mean += w[j] * normed / static_cast<double>(width());
      }
      for (std::size_t j = 0; j < width(); ++j) d_o[h][t][j] = (w[j] - o[j] / rms * mean) / rms;
    }
    times_backward(w_.g_proj, u_[t], d_gate, d.weights.g_proj, d.u[t]);
  }
  void head_backward(std::size_t h, const Matrix& d_o, Gradients& d, std::array<Matrix, 3>& d_pre) const {
    Matrix E = zeros(width(), width());
    const std::vector<DeltaTokenGradient> grads = gated_delta_backward(heads_[h], d_o, E);
    for (std::size_t t = 0; t < u_.size(); ++t) {
      const DeltaToken& token = heads_[h][t];
      const std::array<Vector, 3> d_x{unit_backward(activated(0, t, h), token.q, grads[t].q),
                                      unit_backward(activated(1, t, h), token.k, grads[t].k), grads[t].v};
      for (std::size_t c = 0; c < 3; ++c) {
        for (std::size_t j = 0; j < width(); ++j) {
          const std::size_t i = h * width() + j;
          d_pre[c][t][i] = d_x[c][j] * d_silu(pre_[c][t][i]);
        }
      }
      Vector d_a(heads(), 0.0), d_b(heads(), 0.0);
      if (token.g != 0) d_a[h] = -std::exp(w_.a_log[h]) * grads[t].g * sigmoid(a_[t][h] + w_.dt_bias[h]);
      d_b[h] = grads[t].beta * token.beta * (1.0 - token.beta);
      d.weights.dt_bias[h] += d_a[h];
      d.weights.a_log[h] += grads[t].g * token.g;
      times_backward(w_.a_proj, u_[t], d_a, d.weights.a_proj, d.u[t]);
      times_backward(w_.b_proj, u_[t], d_b, d.weights.b_proj, d.u[t]);
    }
  }
  static Vector unit_backward(const Vector& x, const Vector& unit_x, const Vector& d) {
    Vector d_x(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      d_x[i] = (d[i] - unit_x[i] * dot(unit_x, d)) / std::sqrt(dot(x, x) + kEpsilon);
    }
    return d_x;
  }

  GatedDeltaNetWeights w_;
  Matrix u_;
  double floor_;
  std::array<Matrix, 3> raw_, pre_;
  Matrix gate_, a_, b_;
  std::vector<std::vector<DeltaToken>> heads_;
};

}  // namespace schemamem::reference
