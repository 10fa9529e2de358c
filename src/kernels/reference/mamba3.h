#pragma once

// The Mamba-3 (SISO) mixer in scalar double, token by token, one line per term of the equations. For tests and
// benchmarks: it shares nothing with the fast path.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "base/view.h"
#include "kernels/reference/matrix.h"

namespace schemamem::reference::mamba3 {

using Tensor = std::vector<Matrix>;

inline constexpr double kFloor = 1e-4, kEpsilon = 1e-5, kTurn = 2 * std::numbers::pi;

/// D, H, G, P and N; the published ones unless said otherwise.
struct Sizes {
  std::size_t width = 32, heads = 4, groups = 2, value = 16, state = 80;

  std::size_t angles() const { return state / 4; }
  std::size_t inner() const { return heads * value; }
  std::size_t rows() const { return 2 * inner() + 2 * groups * state + 3 * heads + angles(); }
  std::size_t group_of(std::size_t head) const { return head / (heads / groups); }
};

/// Official names and orientations: linear weights are [out, in].
struct Weights {
  explicit Weights(const Sizes& s = {}) : sizes(s) {}
  Sizes sizes;
  Matrix in_proj = zeros(sizes.rows(), sizes.width);
  Vector dt_bias = Vector(sizes.heads), d = dt_bias;
  Matrix b_bias = zeros(sizes.heads, sizes.state), c_bias = b_bias;
  Vector b_norm = Vector(sizes.state), c_norm = b_norm;
  Matrix out_proj = zeros(sizes.width, sizes.inner());
};

/// What passes from token to token; also the gradient with respect to it.
struct State {
  explicit State(const Sizes& s = {})
      : angle(zeros(s.heads, s.angles())),
        ssm(s.heads, zeros(s.value, s.state)),
        k(zeros(s.heads, s.state)),
        v(zeros(s.heads, s.value)) {}
  Matrix angle;
  Tensor ssm;
  Matrix k, v;
};

/// One row of `in_proj u`, cut into its parts; also the gradient with respect to it.
struct Projected {
  explicit Projected(const Sizes& s)
      : z(zeros(s.heads, s.value)),
        x(z),
        b(zeros(s.groups, s.state)),
        c(b),
        dt(s.heads),
        a(s.heads),
        trap(s.heads),
        angle(s.angles()) {}
  Matrix z, x, b, c;
  Vector dt, a, trap, angle;
};

/// Everything that one token computes.
struct Token {
  explicit Token(const Sizes& s)
      : raw(s),
        dt(s.heads),
        a(s.heads),
        lambda(s.heads),
        alpha(s.heads),
        beta(s.heads),
        gamma(s.heads),
        b_rms(s.groups),
        c_rms(s.groups),
        b_normed(zeros(s.groups, s.state)),
        c_normed(b_normed),
        q_rotated(zeros(s.heads, s.state)),
        o(zeros(s.heads, s.value)),
        gated(o),
        after(s) {}
  Projected raw;
  Vector dt, a, lambda, alpha, beta, gamma;  // [H]
  Vector b_rms, c_rms;                       // [G]
  Matrix b_normed, c_normed;                 // [G, N]
  Matrix q_rotated;                          // [H, N]; the rotated k is in `after`
  Matrix o, gated;                           // [H, P]
  State after;
};

inline double softplus(double x) { return x > 20 ? x : std::log1p(std::exp(x)); }

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

/// Rotates interleaved pairs, as many as there are angles, by sign * angle.
inline Vector rotate(const Vector& x, const Vector& angle, double sign) {
  Vector rotated = x;
  for (std::size_t j = 0; j < angle.size(); ++j) {
    const double c = std::cos(angle[j]), s = sign * std::sin(angle[j]);
    rotated[2 * j] = x[2 * j] * c - x[2 * j + 1] * s;
    rotated[2 * j + 1] = x[2 * j] * s + x[2 * j + 1] * c;
  }
  return rotated;
}

inline double rms(const Vector& x) {
  double squares = 0;
  for (const double entry : x) squares += entry * entry;
  return std::sqrt(squares / static_cast<double>(x.size()) + kEpsilon);
}

/// One token from the state `before`: fills `token` and y [D]. A step Dt below `floor` is none; where a step is one but
/// its decay alpha is within `floor` of 1, it does not decay.
inline void step(const Weights& w, View<const double, 1> u, const State& before, Token& token, View<double, 1> y,
                 double floor = 0) {
  const Sizes& s = w.sizes;
  for_rows(token.raw, [&](std::size_t row, double& entry) {
    entry = 0;
    for (std::size_t i = 0; i < s.width; ++i) entry += w.in_proj[row][i] * u(i);
  });
  const Projected& raw = token.raw;
  for (std::size_t g = 0; g < s.groups; ++g) {
    token.b_rms[g] = rms(raw.b[g]);
    token.c_rms[g] = rms(raw.c[g]);
    for (std::size_t n = 0; n < s.state; ++n) {
      token.b_normed[g][n] = w.b_norm[n] * raw.b[g][n] / token.b_rms[g];
      token.c_normed[g][n] = w.c_norm[n] * raw.c[g][n] / token.c_rms[g];
    }
  }
  for (std::size_t h = 0; h < s.heads; ++h) {
    const std::size_t g = s.group_of(h);
    double dt = softplus(raw.dt[h] + w.dt_bias[h]), a = std::min(-softplus(raw.a[h]), -kFloor);
    if (dt < floor) dt = 0;
    if (1 - std::exp(a * dt) < floor) a = 0;
    token.dt[h] = dt;
    token.a[h] = a;
    const double lambda = token.lambda[h] = sigmoid(raw.trap[h]);
    const double alpha = token.alpha[h] = std::exp(a * dt);
    const double beta = token.beta[h] = (1 - lambda) * dt * alpha;
    const double gamma = token.gamma[h] = lambda * dt;
    for (std::size_t j = 0; j < s.angles(); ++j) {
      const double turned = before.angle[h][j] + std::numbers::pi * std::tanh(raw.angle[j]) * dt;
      token.after.angle[h][j] = turned - kTurn * std::floor(turned / kTurn);
    }
    Vector k(s.state), q(s.state);
    for (std::size_t n = 0; n < s.state; ++n) {
      k[n] = token.b_normed[g][n] + w.b_bias[h][n];
      q[n] = token.c_normed[g][n] + w.c_bias[h][n];
    }
    token.after.k[h] = rotate(k, token.after.angle[h], 1);
    token.q_rotated[h] = rotate(q, token.after.angle[h], 1);
    token.after.v[h] = raw.x[h];
    for (std::size_t p = 0; p < s.value; ++p) {
      token.o[h][p] = w.d[h] * raw.x[h][p];
      for (std::size_t n = 0; n < s.state; ++n) {
        const double updated = alpha * before.ssm[h][p][n] + beta * before.v[h][p] * before.k[h][n] +
                               gamma * raw.x[h][p] * token.after.k[h][n];
        token.after.ssm[h][p][n] = updated;
        token.o[h][p] += updated * token.q_rotated[h][n];
      }
      token.gated[h][p] = token.o[h][p] * raw.z[h][p] * sigmoid(raw.z[h][p]);
    }
  }
  for (std::size_t i = 0; i < s.width; ++i) {
    y(i) = 0;
    for (std::size_t j = 0; j < s.inner(); ++j) y(i) += w.out_proj[i][j] * token.gated[j / s.value][j % s.value];
  }
}

/// A sequence u [T, D] from the state `initial`; the last token's `after` is the final state.
inline std::vector<Token> forward(const Weights& w, View<const double, 2> u, const State& initial, View<double, 2> y,
                                  double floor = 0) {
  std::vector<Token> tokens(u.extent(0), Token(w.sizes));
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    step(w, u[t], t == 0 ? initial : tokens[t - 1].after, tokens[t], y[t], floor);
  }
  return tokens;
}

/// d_x of y = gain * x / rms(x), and d_gain += d_y * x / rms(x).
inline Vector norm_backward(const Vector& x, double root, const Vector& gain, const Vector& d_y, Vector& d_gain) {
  const auto count = static_cast<double>(x.size());
  double mean = 0;
  for (std::size_t n = 0; n < x.size(); ++n) mean += d_y[n] * gain[n] * x[n] / root / count;
  Vector d_x(x.size());
  for (std::size_t n = 0; n < x.size(); ++n) {
    d_x[n] = (d_y[n] * gain[n] - x[n] / root * mean) / root;
    d_gain[n] += d_y[n] * x[n] / root;
  }
  return d_x;
}

/// One token backward. `d` is the gradient with respect to `token.after` on entry and `before` on return.
inline void step_backward(const Weights& w, View<const double, 1> u, const State& before, const Token& token,
                          View<const double, 1> d_y, State& d, View<double, 1> d_u, Weights& d_w) {
  const Sizes& s = w.sizes;
  const Projected& raw = token.raw;
  Projected d_raw(s);
  Matrix d_b_normed = zeros(s.groups, s.state), d_c_normed = d_b_normed;
  State d_before(s);
  for (std::size_t h = 0; h < s.heads; ++h) {
    const std::size_t g = s.group_of(h);
    const double dt = token.dt[h], lambda = token.lambda[h], alpha = token.alpha[h], beta = token.beta[h],
                 gamma = token.gamma[h];
    const Vector &k = token.after.k[h], &q = token.q_rotated[h];
    Vector d_k = d.k[h], d_q(s.state);
    double d_a_dt = 0, e = 0, f = 0;  // e = v^T dS k, f = alpha v_{t-1}^T dS k_{t-1}
    for (std::size_t p = 0; p < s.value; ++p) {
      const double z = raw.z[h][p], open = sigmoid(z), v = raw.x[h][p];
      double d_gated = 0;
      for (std::size_t i = 0; i < s.width; ++i) {
        d_gated += w.out_proj[i][h * s.value + p] * d_y(i);
        d_w.out_proj[i][h * s.value + p] += d_y(i) * token.gated[h][p];
      }
      const double d_o = d_gated * z * open;
      d_raw.z[h][p] = d_gated * token.o[h][p] * open * (1 + z * (1 - open));
      d_w.d[h] += d_o * v;
      double d_v = d.v[h][p] + w.d[h] * d_o;
      for (std::size_t n = 0; n < s.state; ++n) {
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
    for (std::size_t j = 0; j < s.angles(); ++j) {
      const double d_phi = d.angle[h][j] + d_q[2 * j + 1] * q[2 * j] - d_q[2 * j] * q[2 * j + 1] +
                           d_k[2 * j + 1] * k[2 * j] - d_k[2 * j] * k[2 * j + 1];
      const double rate = std::tanh(raw.angle[j]);
      d_before.angle[h][j] = d_phi;
      d_dt += std::numbers::pi * d_phi * rate;
      d_raw.angle[j] += std::numbers::pi * (1 - rate * rate) * d_phi * dt;
    }
    const bool fades = token.a[h] != 0, moves = dt != 0;  // else something is below the floor
    d_raw.a[h] = fades && -softplus(raw.a[h]) <= -kFloor ? -sigmoid(raw.a[h]) * dt * d_a_dt : 0;
    d_raw.dt[h] = moves ? d_dt * sigmoid(raw.dt[h] + w.dt_bias[h]) : 0;
    d_w.dt_bias[h] += d_raw.dt[h];
    d_q = rotate(d_q, token.after.angle[h], -1);
    d_k = rotate(d_k, token.after.angle[h], -1);
    for (std::size_t n = 0; n < s.state; ++n) {
      d_w.c_bias[h][n] += d_q[n];
      d_w.b_bias[h][n] += d_k[n];
      d_c_normed[g][n] += d_q[n];
      d_b_normed[g][n] += d_k[n];
    }
  }
  for (std::size_t g = 0; g < s.groups; ++g) {
    d_raw.b[g] = norm_backward(raw.b[g], token.b_rms[g], w.b_norm, d_b_normed[g], d_w.b_norm);
    d_raw.c[g] = norm_backward(raw.c[g], token.c_rms[g], w.c_norm, d_c_normed[g], d_w.c_norm);
  }
  for (std::size_t i = 0; i < s.width; ++i) d_u(i) = 0;
  for_rows(d_raw, [&](std::size_t row, double d_entry) {
    for (std::size_t i = 0; i < s.width; ++i) {
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
