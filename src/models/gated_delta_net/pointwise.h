#pragma once

#include <cmath>

#include "kernels/gated_delta.h"
#include "kernels/softplus.h"
#include "models/gated_delta_net/sizes.h"

// What happens to the tokens of one chunk before and after the delta rule (spec: short convolution, unit queries and
// keys, gates, gated norm), and its gradient. Rows at and behind `rows` do not exist: they are filled with zeros.

namespace schemamem::SCHEMAMEM_ISA {

template <class T, class Sizes>
struct GdnPointwise {
  using Rule = GatedDelta<T, Sizes>;
  static constexpr std::size_t kChunk = gdn::kChunk;
  static constexpr int kLane = kLanes<T>;

  /// The numbers of one kind and head; those of the next head follow.
  template <class Number>
  [[gnu::always_inline]] static Number* row_of(Sizes s, Number* scalars, gdn::Scalar kind, std::size_t head) {
    return scalars + (kind * s.heads + head) * kChunk;
  }

  /// silu(sum_j w_j p_{t-3+j}) of every channel; three rows of raw projections lie in front of `raw`.
  [[gnu::noinline]] static void convolve(Sizes s, const T* taps, const T* raw, std::size_t rows, T* sigmoids, T* unit) {
    for (std::size_t j = 0; j < s.mixed; j += kLane) {
      const Vec<T> w0 = load<T>(taps + j), w1 = load<T>(taps + s.mixed + j), w2 = load<T>(taps + 2 * s.mixed + j),
                   w3 = load<T>(taps + 3 * s.mixed + j);
      Vec<T> p0 = load<T>(raw - 3 * s.columns + j), p1 = load<T>(raw - 2 * s.columns + j),
             p2 = load<T>(raw - s.columns + j);
      for (std::size_t t = 0; t < rows; ++t) {
        const Vec<T> p3 = load<T>(raw + t * s.columns + j);
        const Vec<T> pre = multiply_add<T>(w3, p3, multiply_add<T>(w2, p2, multiply_add<T>(w1, p1, w0 * p0)));
        const Vec<T> sigma = sigmoid<T>(pre);
        store<T>(sigmoids + t * s.sigmoids + j, sigma);
        store<T>(unit + t * s.mixed + j, pre * sigma);
        p0 = p1;
        p1 = p2;
        p2 = p3;
      }
      for (std::size_t t = rows; t < kChunk; ++t) {
        store<T>(sigmoids + t * s.sigmoids + j, Vec<T>{});
        store<T>(unit + t * s.mixed + j, Vec<T>{});
      }
    }
  }

  /// q = x^q / sqrt(|x^q|^2 + eps) / sqrt(K), k = x^k / sqrt(|x^k|^2 + eps), head by head.
  [[gnu::noinline]] static void normalise(Sizes s, T* unit, T* scalars) {
    const std::size_t head = s.head;  // GCC unrolls a loop only up to a plain number
    const T shrink = T(1) / std::sqrt(T(head));
    for (std::size_t part = 0; part < 2 * s.heads; ++part) {  // q_0, q_1, ..., k_0, k_1, ...
      const bool query = part < s.heads;
      T* const x = unit + part * s.head;
      T* const scale = row_of(s, scalars, gdn::kQueryScale, part);
      T* const length = row_of(s, scalars, gdn::kQueryLength, part);
      Rule::row_products(s, x, s.mixed, x, s.mixed, scale);
      for (std::size_t t = 0; t < kChunk; ++t) {
        const T root = std::sqrt(scale[t] + T(gdn::kUnitEpsilon)) / (query ? shrink : T(1));
        length[t] = root;
        scale[t] = T(1) / root;
      }
      for (std::size_t t = 0; t < kChunk; ++t) {
#pragma GCC unroll 6
        for (std::size_t j = 0; j < head; j += kLane)
          store<T>(x + t * s.mixed + j, load<T>(x + t * s.mixed + j) * scale[t]);
      }
    }
  }
  /// Undoes normalise and the silu before it: gradients of q, k, v become those of the convolution's output.
  [[gnu::noinline]] static void normalise_backward(Sizes s, const T* unit, const T* sigmoids, const T* scalars,
                                                   T* d_mixed) {
    const std::size_t head = s.head;
    for (std::size_t part = 0; part < 3 * s.heads; ++part) {
      const T* const x = unit + part * s.head;
      T* const d = d_mixed + part * s.head;
      const bool value = part >= 2 * s.heads;
      const T* const scale = row_of(s, scalars, gdn::kQueryScale, part);
      const T* const length = row_of(s, scalars, gdn::kQueryLength, part);
      alignas(64) T along[kChunk]{};
      if (!value) Rule::row_products(s, x, s.mixed, d, s.mixed, along);
      const T square = part < s.heads ? T(s.head) : T(1);  // q is shorter than a unit vector by sqrt(K)
      for (std::size_t t = 0; t < kChunk; ++t) {
        const T outer = value ? T(1) : scale[t];
        const T grow = value ? T(1) : length[t];
        const T project = value ? T(0) : along[t] * square;
#pragma GCC unroll 6
        for (std::size_t j = 0; j < head; j += kLane) {
          const Vec<T> unit_x = load<T>(x + t * s.mixed + j);
          const Vec<T> sigma = load<T>(sigmoids + t * s.sigmoids + part * s.head + j);
          const Vec<T> d_silu = (load<T>(d + t * s.mixed + j) - unit_x * project) * outer;
          store<T>(d + t * s.mixed + j, d_silu * multiply_add<T>(unit_x * grow, T(1) - sigma, sigma));
        }
      }
    }
  }

  /// g = -rate softplus(a + dt_bias), beta = sigmoid(b). What is below the floor is zero and so is its derivative.
  [[gnu::noinline]] static void gates(Sizes s, const T* dt_bias, const T* rate, GateFloor<T> floor, const T* raw,
                                      std::size_t rows, T* scalars) {
    alignas(64) T a[Sizes::kMostHeads * kChunk], b[Sizes::kMostHeads * kChunk];
    for (std::size_t i = 0; i < s.heads * kChunk; ++i) a[i] = b[i] = T(0);
    for (std::size_t t = 0; t < rows; ++t) {
      const T* const column = raw + t * s.columns + s.mixed + s.inner;
      for (std::size_t h = 0; h < s.heads; ++h) {
        a[h * kChunk + t] = column[h] + dt_bias[h];
        b[h * kChunk + t] = column[s.heads + h];
      }
    }
    for (std::size_t h = 0; h < s.heads; ++h) {
      for (std::size_t t = 0; t < kChunk; t += kLane) {
        const VecInt<T> real = first_lanes<T>(static_cast<std::ptrdiff_t>(rows) - static_cast<std::ptrdiff_t>(t));
        const Vec<T> decay = load<T>(a + h * kChunk + t);
        const Vec<T> spent = softplus<T>(decay) * rate[h], open = sigmoid<T>(load<T>(b + h * kChunk + t));
        const VecInt<T> fades = real & ~(spent < floor.decay), writes = real & ~(open < floor.write);
        store<T>(row_of(s, scalars, gdn::kLogDecay, h) + t, keep<T>(fades, -spent));
        store<T>(row_of(s, scalars, gdn::kStep, h) + t, keep<T>(fades, sigmoid<T>(decay)));
        store<T>(row_of(s, scalars, gdn::kBeta, h) + t, keep<T>(writes, open));
      }
    }
  }
  /// The last columns of d_raw, and the gradients of A_log and dt_bias.
  [[gnu::noinline]] static void gates_backward(Sizes s, const T* rate, const T* scalars, const T* d_log_decay,
                                               const T* d_beta, std::size_t rows, T* d_raw, T* d_a_log, T* d_dt_bias) {
    alignas(64) T d_gate[2 * Sizes::kMostHeads * kChunk];
    for (std::size_t h = 0; h < s.heads; ++h) {
      Vec<T> sum_a{}, sum_log{};
      for (std::size_t t = 0; t < kChunk; t += kLane) {
        const Vec<T> d_g = load<T>(d_log_decay + h * kChunk + t);
        const Vec<T> beta = load<T>(row_of(s, scalars, gdn::kBeta, h) + t);
        const Vec<T> d_a = d_g * load<T>(row_of(s, scalars, gdn::kStep, h) + t) * -rate[h];
        store<T>(d_gate + h * kChunk + t, d_a);
        store<T>(d_gate + (s.heads + h) * kChunk + t, load<T>(d_beta + h * kChunk + t) * beta * (T(1) - beta));
        sum_a += d_a;
        sum_log = multiply_add<T>(d_g, load<T>(row_of(s, scalars, gdn::kLogDecay, h) + t), sum_log);
      }
      d_dt_bias[h] += horizontal_sum<T>(sum_a);
      d_a_log[h] += horizontal_sum<T>(sum_log);
    }
    for (std::size_t t = 0; t < rows; ++t) {
      T* const column = d_raw + t * s.columns + s.mixed + s.inner;
      for (std::size_t i = 0; i < 2 * s.heads; ++i) column[i] = d_gate[i * kChunk + t];
      for (std::size_t i = 2 * s.heads; i < s.gates; ++i) column[i] = 0;
    }
  }

  /// gated = o_norm o / rms(o) silu(z).
  [[gnu::noinline]] static void gate_output(Sizes s, const T* o_norm, const T* raw, const T* read, std::size_t rows,
                                            T* sigmoids, T* scalars, T* gated) {
    const std::size_t head = s.head, heads = s.heads;
    for (std::size_t h = 0; h < s.heads; ++h) {
      T* const scale = row_of(s, scalars, gdn::kReadScale, h);
      Rule::row_products(s, read + h * s.head, s.inner, read + h * s.head, s.inner, scale);
      for (std::size_t t = 0; t < kChunk; ++t) scale[t] = T(1) / std::sqrt(scale[t] / T(s.head) + T(gdn::kNormEpsilon));
    }
    for (std::size_t t = 0; t < rows; ++t) {
#pragma GCC unroll 2
      for (std::size_t h = 0; h < heads; ++h) {
        const T scale = row_of(s, scalars, gdn::kReadScale, h)[t];
#pragma GCC unroll 6
        for (std::size_t j = h * head; j < (h + 1) * head; j += kLane) {
          const Vec<T> z = load<T>(raw + t * s.columns + s.mixed + j);
          const Vec<T> sigma = sigmoid<T>(z);
          store<T>(sigmoids + t * s.sigmoids + s.mixed + j, sigma);
          store<T>(gated + t * s.inner + j,
                   load<T>(read + t * s.inner + j) * scale * load<T>(o_norm + j) * (z * sigma));
        }
      }
    }
  }
  /// d_read holds the gradient of `gated` on entry, that of o on return; `gated` is computed anew.
  [[gnu::noinline]] static void gate_output_backward(Sizes s, const T* o_norm, const T* raw, const T* read,
                                                     const T* sigmoids, const T* scalars, std::size_t rows, T* gated,
                                                     T* d_read, T* d_raw, T* d_o_norm) {
    const std::size_t head = s.head;
    Vec<T> partial[kChunk];
    for (std::size_t h = 0; h < s.heads; ++h) {
      for (std::size_t t = 0; t < rows; ++t) {
        const T scale = row_of(s, scalars, gdn::kReadScale, h)[t];
        Vec<T> sum{};
#pragma GCC unroll 6
        for (std::size_t j = h * head; j < (h + 1) * head; j += kLane) {
          const Vec<T> z = load<T>(raw + t * s.columns + s.mixed + j);
          const Vec<T> sigma = load<T>(sigmoids + t * s.sigmoids + s.mixed + j);
          const Vec<T> normed = load<T>(read + t * s.inner + j) * scale;
          const Vec<T> weight = load<T>(o_norm + j);
          const Vec<T> upstream = load<T>(d_read + t * s.inner + j);
          const Vec<T> act = z * sigma;
          const Vec<T> both = upstream * normed;
          store<T>(gated + t * s.inner + j, normed * weight * act);
          store<T>(d_raw + t * s.columns + s.mixed + j, both * weight * multiply_add<T>(act, T(1) - sigma, sigma));
          store<T>(d_o_norm + j, multiply_add<T>(both, act, load<T>(d_o_norm + j)));
          const Vec<T> w = upstream * act * weight;
          store<T>(d_read + t * s.inner + j, w);
          sum = multiply_add<T>(w, normed, sum);
        }
        partial[t] = sum;
      }
      alignas(64) T mean[kChunk];
      row_sums<T>(rows, mean, [&](std::size_t t) { return partial[t]; });
      for (std::size_t t = 0; t < rows; ++t) {
        const T scale = row_of(s, scalars, gdn::kReadScale, h)[t];
        const T pull = mean[t] / T(s.head) * scale;
#pragma GCC unroll 6
        for (std::size_t j = h * head; j < (h + 1) * head; j += kLane) {
          const Vec<T> w = load<T>(d_read + t * s.inner + j);
          store<T>(d_read + t * s.inner + j, (w - load<T>(read + t * s.inner + j) * pull) * scale);
        }
      }
      for (std::size_t t = rows; t < kChunk; ++t) {
        for (std::size_t j = h * head; j < (h + 1) * head; j += kLane) store<T>(d_read + t * s.inner + j, Vec<T>{});
      }
    }
  }

  /// dp_s = sum_j w_j dpre_{s+3-j} and dw_j += sum_t dpre_t p_{t-3+j} over the tokens of a block; three rows of dpre
  /// lie behind it, three rows of raw projections in front.
  [[gnu::noinline]] static void convolve_backward(Sizes s, const T* taps, const T* raw, const T* d_mixed,
                                                  std::size_t rows, T* d_raw, T* d_taps) {
    for (std::size_t j = 0; j < s.mixed; j += kLane) {
      Vec<T> w[4], d_w[4], d[4], p[4];
#pragma GCC unroll 4
      for (std::size_t k = 0; k < 4; ++k) {
        w[k] = load<T>(taps + k * s.mixed + j);
        d_w[k] = load<T>(d_taps + k * s.mixed + j);
      }
#pragma GCC unroll 3
      for (std::size_t k = 0; k < 3; ++k) {
        d[k] = load<T>(d_mixed + k * s.mixed + j);
        p[k] = load<T>(raw + k * s.columns - 3 * s.columns + j);
      }
      for (std::size_t t = 0; t < rows; ++t) {
        d[3] = load<T>(d_mixed + (t + 3) * s.mixed + j);
        p[3] = load<T>(raw + t * s.columns + j);
        Vec<T> d_p = w[3] * d[0];
#pragma GCC unroll 3
        for (int k = 2; k >= 0; --k) d_p = multiply_add<T>(w[k], d[3 - k], d_p);
        store<T>(d_raw + t * s.columns + j, d_p);
#pragma GCC unroll 4
        for (int k = 0; k < 4; ++k) d_w[k] = multiply_add<T>(d[0], p[k], d_w[k]);
#pragma GCC unroll 3
        for (int k = 0; k < 3; ++k) {
          d[k] = d[k + 1];
          p[k] = p[k + 1];
        }
      }
#pragma GCC unroll 4
      for (std::size_t k = 0; k < 4; ++k) store<T>(d_taps + k * s.mixed + j, d_w[k]);
    }
  }
};

}  // namespace schemamem::SCHEMAMEM_ISA
