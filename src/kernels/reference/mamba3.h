#pragma once

// The Mamba-3 (SISO) mixer in scalar double, token by token, one line per term of the equations. For tests and
// benchmarks: it shares nothing with the fast path.

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "base/view.h"

namespace schemamem::reference::mamba3 {

inline constexpr std::size_t kWidth = 32, kHeads = 4, kGroups = 2, kValue = 16, kState = 80, kAngles = 20;
inline constexpr std::size_t kInner = kHeads * kValue;
inline constexpr std::size_t kRows = 2 * kInner + 2 * kGroups * kState + 3 * kHeads + kAngles;
inline constexpr double kFloor = 1e-4, kEpsilon = 1e-5, kTurn = 2 * std::numbers::pi;

template <std::size_t... N>
struct Nested;
template <std::size_t N>
struct Nested<N> {
  using Type = std::array<double, N>;
};
template <std::size_t N, std::size_t... Rest>
struct Nested<N, Rest...> {
  using Type = std::array<typename Nested<Rest...>::Type, N>;
};
template <std::size_t... N>
using Tensor = typename Nested<N...>::Type;

/// Official names and orientations: linear weights are [out, in].
struct Weights {
  Tensor<kRows, kWidth> in_proj{};
  Tensor<kHeads> dt_bias{}, d{};
  Tensor<kHeads, kState> b_bias{}, c_bias{};
  Tensor<kState> b_norm{}, c_norm{};
  Tensor<kWidth, kInner> out_proj{};
};

/// What passes from token to token; also the gradient with respect to it.
struct State {
  Tensor<kHeads, kAngles> angle{};
  Tensor<kHeads, kValue, kState> ssm{};
  Tensor<kHeads, kState> k{};
  Tensor<kHeads, kValue> v{};
};

/// One row of `in_proj u`, cut into its parts; also the gradient with respect to it.
struct Projected {
  Tensor<kHeads, kValue> z{}, x{};
  Tensor<kGroups, kState> b{}, c{};
  Tensor<kHeads> dt{}, a{}, trap{};
  Tensor<kAngles> angle{};
};

/// Everything that one token computes.
struct Token {
  Projected raw;
  Tensor<kHeads> dt{}, a{}, lambda{}, alpha{}, beta{}, gamma{};
  Tensor<kGroups> b_rms{}, c_rms{};
  Tensor<kGroups, kState> b_normed{}, c_normed{};
  Tensor<kHeads, kState> q_rotated{};  // the rotated k is in `after`
  Tensor<kHeads, kValue> o{}, gated{};
  State after;
};

inline std::size_t group_of(std::size_t head) { return head / (kHeads / kGroups); }
inline double softplus(double x) { return x > 20 ? x : std::log1p(std::exp(x)); }
inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// Calls body(row of in_proj, entry of `parts`) in the official order of rows.
template <class Parts, class Body>
void for_rows(Parts& parts, Body body) {
  std::size_t row = 0;
  for (auto& head : parts.z) {
    for (auto& entry : head) body(row++, entry);
  }
  for (auto& head : parts.x) {
    for (auto& entry : head) body(row++, entry);
  }
  for (auto& group : parts.b) {
    for (auto& entry : group) body(row++, entry);
  }
  for (auto& group : parts.c) {
    for (auto& entry : group) body(row++, entry);
  }
  for (auto& entry : parts.dt) body(row++, entry);
  for (auto& entry : parts.a) body(row++, entry);
  for (auto& entry : parts.trap) body(row++, entry);
  for (auto& entry : parts.angle) body(row++, entry);
}

/// Rotates interleaved pairs of the first 2 * kAngles entries by sign * angle.
inline Tensor<kState> rotate(const Tensor<kState>& x, const Tensor<kAngles>& angle, double sign) {
  Tensor<kState> rotated = x;
  for (std::size_t j = 0; j < kAngles; ++j) {
    const double c = std::cos(angle[j]), s = sign * std::sin(angle[j]);
    rotated[2 * j] = x[2 * j] * c - x[2 * j + 1] * s;
    rotated[2 * j + 1] = x[2 * j] * s + x[2 * j + 1] * c;
  }
  return rotated;
}

inline double rms(const Tensor<kState>& x) {
  double squares = 0;
  for (const double entry : x) squares += entry * entry;
  return std::sqrt(squares / kState + kEpsilon);
}

/// One token from the state `before`: fills `token` and y [32].
inline void step(const Weights& w, View<const double, 1> u, const State& before, Token& token, View<double, 1> y) {
  for_rows(token.raw, [&](std::size_t row, double& entry) {
    entry = 0;
    for (std::size_t i = 0; i < kWidth; ++i) entry += w.in_proj[row][i] * u(i);
  });
  const Projected& raw = token.raw;
  for (std::size_t g = 0; g < kGroups; ++g) {
    token.b_rms[g] = rms(raw.b[g]);
    token.c_rms[g] = rms(raw.c[g]);
    for (std::size_t n = 0; n < kState; ++n) {
      token.b_normed[g][n] = w.b_norm[n] * raw.b[g][n] / token.b_rms[g];
      token.c_normed[g][n] = w.c_norm[n] * raw.c[g][n] / token.c_rms[g];
    }
  }
  for (std::size_t h = 0; h < kHeads; ++h) {
    const std::size_t g = group_of(h);
    const double dt = token.dt[h] = softplus(raw.dt[h] + w.dt_bias[h]);
    const double a = token.a[h] = std::min(-softplus(raw.a[h]), -kFloor);
    const double lambda = token.lambda[h] = sigmoid(raw.trap[h]);
    const double alpha = token.alpha[h] = std::exp(a * dt);
    const double beta = token.beta[h] = (1 - lambda) * dt * alpha;
    const double gamma = token.gamma[h] = lambda * dt;
    for (std::size_t j = 0; j < kAngles; ++j) {
      const double turned = before.angle[h][j] + std::numbers::pi * std::tanh(raw.angle[j]) * dt;
      token.after.angle[h][j] = turned - kTurn * std::floor(turned / kTurn);
    }
    Tensor<kState> k{}, q{};
    for (std::size_t n = 0; n < kState; ++n) {
      k[n] = token.b_normed[g][n] + w.b_bias[h][n];
      q[n] = token.c_normed[g][n] + w.c_bias[h][n];
    }
    token.after.k[h] = rotate(k, token.after.angle[h], 1);
    token.q_rotated[h] = rotate(q, token.after.angle[h], 1);
    token.after.v[h] = raw.x[h];
    for (std::size_t p = 0; p < kValue; ++p) {
      token.o[h][p] = w.d[h] * raw.x[h][p];
      for (std::size_t n = 0; n < kState; ++n) {
        const double s = alpha * before.ssm[h][p][n] + beta * before.v[h][p] * before.k[h][n] +
                         gamma * raw.x[h][p] * token.after.k[h][n];
        token.after.ssm[h][p][n] = s;
        token.o[h][p] += s * token.q_rotated[h][n];
      }
      token.gated[h][p] = token.o[h][p] * raw.z[h][p] * sigmoid(raw.z[h][p]);
    }
  }
  for (std::size_t i = 0; i < kWidth; ++i) {
    y(i) = 0;
    for (std::size_t j = 0; j < kInner; ++j) y(i) += w.out_proj[i][j] * token.gated[j / kValue][j % kValue];
  }
}

/// A sequence u [T, 32] from the state `initial`; the last token's `after` is the final state.
inline std::vector<Token> forward(const Weights& w, View<const double, 2> u, const State& initial, View<double, 2> y) {
  std::vector<Token> tokens(u.extent(0));
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    step(w, u[t], t == 0 ? initial : tokens[t - 1].after, tokens[t], y[t]);
  }
  return tokens;
}

/// d_x of y = gain * x / rms(x), and d_gain += d_y * x / rms(x).
inline Tensor<kState> norm_backward(const Tensor<kState>& x, double root, const Tensor<kState>& gain,
                                    const Tensor<kState>& d_y, Tensor<kState>& d_gain) {
  double mean = 0;
  for (std::size_t n = 0; n < kState; ++n) mean += d_y[n] * gain[n] * x[n] / root / kState;
  Tensor<kState> d_x{};
  for (std::size_t n = 0; n < kState; ++n) {
    d_x[n] = (d_y[n] * gain[n] - x[n] / root * mean) / root;
    d_gain[n] += d_y[n] * x[n] / root;
  }
  return d_x;
}

/// One token backward. `d` is the gradient with respect to `token.after` on entry and `before` on return.
inline void step_backward(const Weights& w, View<const double, 1> u, const State& before, const Token& token,
                          View<const double, 1> d_y, State& d, View<double, 1> d_u, Weights& d_w) {
  const Projected& raw = token.raw;
  Projected d_raw;
  Tensor<kGroups, kState> d_b_normed{}, d_c_normed{};
  State d_before;
  for (std::size_t h = 0; h < kHeads; ++h) {
    const std::size_t g = group_of(h);
    const double dt = token.dt[h], lambda = token.lambda[h], alpha = token.alpha[h], beta = token.beta[h],
                 gamma = token.gamma[h];
    const Tensor<kState>&k = token.after.k[h], &q = token.q_rotated[h];
    Tensor<kState> d_k = d.k[h], d_q{};
    double d_a_dt = 0, e = 0, f = 0;  // e = v^T dS k, f = alpha v_{t-1}^T dS k_{t-1}
    for (std::size_t p = 0; p < kValue; ++p) {
      const double z = raw.z[h][p], s = sigmoid(z), v = raw.x[h][p];
      double d_gated = 0;
      for (std::size_t i = 0; i < kWidth; ++i) {
        d_gated += w.out_proj[i][h * kValue + p] * d_y(i);
        d_w.out_proj[i][h * kValue + p] += d_y(i) * token.gated[h][p];
      }
      const double d_o = d_gated * z * s;
      d_raw.z[h][p] = d_gated * token.o[h][p] * s * (1 + z * (1 - s));
      d_w.d[h] += d_o * v;
      double d_v = d.v[h][p] + w.d[h] * d_o;
      for (std::size_t n = 0; n < kState; ++n) {
        const double d_s = d.ssm[h][p][n] + d_o * q[n];
        d_q[n] += token.after.ssm[h][p][n] * d_o;
        d_v += gamma * d_s * k[n];
        d_k[n] += gamma * d_s * v;
        d_a_dt += alpha * d_s * before.ssm[h][p][n];
        e += v * d_s * k[n];
        f += alpha * before.v[h][p] * d_s * before.k[h][n];
        d_before.ssm[h][p][n] = alpha * d_s;
        d_before.v[h][p] += beta * d_s * before.k[h][n];
        d_before.k[h][n] += beta * d_s * before.v[h][p];
      }
      d_raw.x[h][p] = d_v;
    }
    d_a_dt += (1 - lambda) * dt * f;
    d_raw.trap[h] = dt * (e - f) * lambda * (1 - lambda);
    double d_dt = lambda * e + (1 - lambda) * f + token.a[h] * d_a_dt;
    for (std::size_t j = 0; j < kAngles; ++j) {
      const double d_phi = d.angle[h][j] + d_q[2 * j + 1] * q[2 * j] - d_q[2 * j] * q[2 * j + 1] +
                           d_k[2 * j + 1] * k[2 * j] - d_k[2 * j] * k[2 * j + 1];
      const double rate = std::tanh(raw.angle[j]);
      d_before.angle[h][j] = d_phi;
      d_dt += std::numbers::pi * d_phi * rate;
      d_raw.angle[j] += std::numbers::pi * (1 - rate * rate) * d_phi * dt;
    }
    d_raw.a[h] = -softplus(raw.a[h]) <= -kFloor ? -sigmoid(raw.a[h]) * dt * d_a_dt : 0;
    d_raw.dt[h] = d_dt * sigmoid(raw.dt[h] + w.dt_bias[h]);
    d_w.dt_bias[h] += d_raw.dt[h];
    d_q = rotate(d_q, token.after.angle[h], -1);
    d_k = rotate(d_k, token.after.angle[h], -1);
    for (std::size_t n = 0; n < kState; ++n) {
      d_w.c_bias[h][n] += d_q[n];
      d_w.b_bias[h][n] += d_k[n];
      d_c_normed[g][n] += d_q[n];
      d_b_normed[g][n] += d_k[n];
    }
  }
  for (std::size_t g = 0; g < kGroups; ++g) {
    d_raw.b[g] = norm_backward(raw.b[g], token.b_rms[g], w.b_norm, d_b_normed[g], d_w.b_norm);
    d_raw.c[g] = norm_backward(raw.c[g], token.c_rms[g], w.c_norm, d_c_normed[g], d_w.c_norm);
  }
  for (std::size_t i = 0; i < kWidth; ++i) d_u(i) = 0;
  for_rows(d_raw, [&](std::size_t row, double d_entry) {
    for (std::size_t i = 0; i < kWidth; ++i) {
      d_w.in_proj[row][i] += d_entry * u(i);
      d_u(i) += w.in_proj[row][i] * d_entry;
    }
  });
  d = d_before;
}

/// The whole vector-Jacobian product: `d_state` is the gradient of the final state on entry and of the initial state on
/// return; d_u is overwritten; d_w is added to.
inline void backward(const Weights& w, View<const double, 2> u, const State& initial, const std::vector<Token>& tokens,
                     View<const double, 2> d_y, State& d_state, View<double, 2> d_u, Weights& d_w) {
  for (std::size_t t = tokens.size(); t-- > 0;) {
    step_backward(w, u[t], t == 0 ? initial : tokens[t - 1].after, tokens[t], d_y[t], d_state, d_u[t], d_w);
  }
}

}  // namespace schemamem::reference::mamba3
