#pragma once

#include <cmath>

#include "kernels/gated_delta.h"
#include "kernels/softplus.h"
#include "models/gated_delta_net/sizes.h"

// What happens to the tokens of one chunk before and after the delta rule (spec: short convolution, unit queries and
// keys, gates, gated norm), and its gradient. Rows at and behind `rows` do not exist: they are filled with zeros.

namespace schemamem::SCHEMAMEM_ISA {

template <class T>
struct GdnPointwise {
  using Rule = GatedDelta<T, gdn::DeltaShape>;
  static constexpr std::size_t kHead = gdn::kHead, kInner = gdn::kInner, kMixed = gdn::kMixed, kColumns = gdn::kColumns,
                               kChunk = gdn::kChunk, kSigmoids = kMixed + kInner;
  static constexpr int kLane = kLanes<T>;

  [[gnu::always_inline]] static T* scalar_row(T* scalars, std::size_t row, std::size_t head) {
    return scalars + (row + head) * kChunk;
  }
  [[gnu::always_inline]] static const T* scalar_row(const T* scalars, std::size_t row, std::size_t head) {
    return scalars + (row + head) * kChunk;
  }

  /// silu(sum_j w_j p_{t-3+j}) of every channel; three rows of raw projections lie in front of `raw`.
  [[gnu::noinline]] static void convolve(const T* taps, const T* raw, std::size_t rows, T* sigmoids, T* unit) {
    for (std::size_t j = 0; j < kMixed; j += kLane) {
      const Vec<T> w0 = load<T>(taps + j), w1 = load<T>(taps + kMixed + j), w2 = load<T>(taps + 2 * kMixed + j),
                   w3 = load<T>(taps + 3 * kMixed + j);
      Vec<T> p0 = load<T>(raw - 3 * kColumns + j), p1 = load<T>(raw - 2 * kColumns + j),
             p2 = load<T>(raw - kColumns + j);
      for (std::size_t t = 0; t < rows; ++t) {
        const Vec<T> p3 = load<T>(raw + t * kColumns + j);
        const Vec<T> pre = multiply_add<T>(w3, p3, multiply_add<T>(w2, p2, multiply_add<T>(w1, p1, w0 * p0)));
        const Vec<T> s = sigmoid<T>(pre);
        store<T>(sigmoids + t * kSigmoids + j, s);
        store<T>(unit + t * kMixed + j, pre * s);
        p0 = p1;
        p1 = p2;
        p2 = p3;
      }
      for (std::size_t t = rows; t < kChunk; ++t) {
        store<T>(sigmoids + t * kSigmoids + j, Vec<T>{});
        store<T>(unit + t * kMixed + j, Vec<T>{});
      }
    }
  }

  /// q = x^q / sqrt(|x^q|^2 + eps) / sqrt(K), k = x^k / sqrt(|x^k|^2 + eps), head by head.
  [[gnu::noinline]] static void normalise(T* unit, T* scalars) {
    const T shrink = T(1) / std::sqrt(T(kHead));
    for (std::size_t part = 0; part < 2 * gdn::kHeads; ++part) {  // q_0, q_1, k_0, k_1
      const bool query = part < gdn::kHeads;
      T* const x = unit + part * kHead;
      T* const scale = scalars + (gdn::kQueryScale + part) * kChunk;
      T* const length = scalars + (gdn::kQueryLength + part) * kChunk;
      Rule::row_products(x, kMixed, x, kMixed, scale);
      for (std::size_t t = 0; t < kChunk; ++t) {
        const T root = std::sqrt(scale[t] + T(gdn::kUnitEpsilon)) / (query ? shrink : T(1));
        length[t] = root;
        scale[t] = T(1) / root;
      }
      for (std::size_t t = 0; t < kChunk; ++t) {
#pragma GCC unroll 6
        for (std::size_t j = 0; j < kHead; j += kLane)
          store<T>(x + t * kMixed + j, load<T>(x + t * kMixed + j) * scale[t]);
      }
    }
  }
  /// Undoes normalise and the silu before it: gradients of q, k, v become those of the convolution's output.
  [[gnu::noinline]] static void normalise_backward(const T* unit, const T* sigmoids, const T* scalars, T* d_mixed) {
    for (std::size_t part = 0; part < 3 * gdn::kHeads; ++part) {
      const T* const x = unit + part * kHead;
      T* const d = d_mixed + part * kHead;
      const bool value = part >= 2 * gdn::kHeads;
      const T* const scale = scalars + (gdn::kQueryScale + part) * kChunk;
      const T* const length = scalars + (gdn::kQueryLength + part) * kChunk;
      alignas(64) T along[kChunk];
      if (!value) Rule::row_products(x, kMixed, d, kMixed, along);
      const T square = part < gdn::kHeads ? T(kHead) : T(1);  // q is shorter than a unit vector by sqrt(K)
      for (std::size_t t = 0; t < kChunk; ++t) {
        const T outer = value ? T(1) : scale[t];
        const T grow = value ? T(1) : length[t];
        const T project = value ? T(0) : along[t] * square;
#pragma GCC unroll 6
        for (std::size_t j = 0; j < kHead; j += kLane) {
          const Vec<T> unit_x = load<T>(x + t * kMixed + j);
          const Vec<T> s = load<T>(sigmoids + t * kSigmoids + part * kHead + j);
          const Vec<T> d_silu = (load<T>(d + t * kMixed + j) - unit_x * project) * outer;
          store<T>(d + t * kMixed + j, d_silu * multiply_add<T>(unit_x * grow, T(1) - s, s));
        }
      }
    }
  }

  /// g = -rate softplus(a + dt_bias), beta = sigmoid(b).
  [[gnu::noinline]] static void gates(const T* dt_bias, const T* rate, const T* raw, std::size_t rows, T* scalars) {
    alignas(64) T a[gdn::kHeads * kChunk]{}, b[gdn::kHeads * kChunk]{};
    for (std::size_t t = 0; t < rows; ++t) {
      const T* const column = raw + t * kColumns + kMixed + kInner;
      for (std::size_t h = 0; h < gdn::kHeads; ++h) {
        a[h * kChunk + t] = column[h] + dt_bias[h];
        b[h * kChunk + t] = column[gdn::kHeads + h];
      }
    }
    for (std::size_t h = 0; h < gdn::kHeads; ++h) {
      for (std::size_t t = 0; t < kChunk; t += kLane) {
        const VecInt<T> real = first_lanes<T>(static_cast<std::ptrdiff_t>(rows) - static_cast<std::ptrdiff_t>(t));
        const Vec<T> decay = load<T>(a + h * kChunk + t);
        store<T>(scalar_row(scalars, gdn::kLogDecay, h) + t, keep<T>(real, softplus<T>(decay) * -rate[h]));
        store<T>(scalar_row(scalars, gdn::kStep, h) + t, keep<T>(real, sigmoid<T>(decay)));
        store<T>(scalar_row(scalars, gdn::kBeta, h) + t, keep<T>(real, sigmoid<T>(load<T>(b + h * kChunk + t))));
      }
    }
  }
  /// The last columns of d_raw, and the gradients of A_log and dt_bias.
  [[gnu::noinline]] static void gates_backward(const T* rate, const T* scalars, const T* d_log_decay, const T* d_beta,
                                               std::size_t rows, T* d_raw, T* d_a_log, T* d_dt_bias) {
    alignas(64) T d_gate[2 * gdn::kHeads * kChunk];
    for (std::size_t h = 0; h < gdn::kHeads; ++h) {
      Vec<T> sum_a{}, sum_log{};
      for (std::size_t t = 0; t < kChunk; t += kLane) {
        const Vec<T> d_g = load<T>(d_log_decay + h * kChunk + t);
        const Vec<T> beta = load<T>(scalar_row(scalars, gdn::kBeta, h) + t);
        const Vec<T> d_a = d_g * load<T>(scalar_row(scalars, gdn::kStep, h) + t) * -rate[h];
        store<T>(d_gate + h * kChunk + t, d_a);
        store<T>(d_gate + (gdn::kHeads + h) * kChunk + t, load<T>(d_beta + h * kChunk + t) * beta * (T(1) - beta));
        sum_a += d_a;
        sum_log = multiply_add<T>(d_g, load<T>(scalar_row(scalars, gdn::kLogDecay, h) + t), sum_log);
      }
      d_dt_bias[h] += horizontal_sum<T>(sum_a);
      d_a_log[h] += horizontal_sum<T>(sum_log);
    }
    for (std::size_t t = 0; t < rows; ++t) {
      T* const column = d_raw + t * kColumns + kMixed + kInner;
      for (std::size_t i = 0; i < 2 * gdn::kHeads; ++i) column[i] = d_gate[i * kChunk + t];
      for (std::size_t i = 2 * gdn::kHeads; i < gdn::kGates; ++i) column[i] = 0;
    }
  }

  /// gated = o_norm o / rms(o) silu(z).
  [[gnu::noinline]] static void gate_output(const T* o_norm, const T* raw, const T* read, std::size_t rows, T* sigmoids,
                                            T* scalars, T* gated) {
    for (std::size_t h = 0; h < gdn::kHeads; ++h) {
      T* const scale = scalar_row(scalars, gdn::kReadScale, h);
      Rule::row_products(read + h * kHead, kInner, read + h * kHead, kInner, scale);
      for (std::size_t t = 0; t < kChunk; ++t) scale[t] = T(1) / std::sqrt(scale[t] / T(kHead) + T(gdn::kNormEpsilon));
    }
    for (std::size_t t = 0; t < rows; ++t) {
#pragma GCC unroll 12
      for (std::size_t j = 0; j < kInner; j += kLane) {
        const T scale = scalar_row(scalars, gdn::kReadScale, j / kHead)[t];
        const Vec<T> z = load<T>(raw + t * kColumns + kMixed + j);
        const Vec<T> s = sigmoid<T>(z);
        store<T>(sigmoids + t * kSigmoids + kMixed + j, s);
        store<T>(gated + t * kInner + j, load<T>(read + t * kInner + j) * scale * load<T>(o_norm + j) * (z * s));
      }
    }
  }
  /// d_read holds the gradient of `gated` on entry, that of o on return; `gated` is computed anew.
  [[gnu::noinline]] static void gate_output_backward(const T* o_norm, const T* raw, const T* read, const T* sigmoids,
                                                     const T* scalars, std::size_t rows, T* gated, T* d_read, T* d_raw,
                                                     T* d_o_norm) {
    Vec<T> partial[gdn::kHeads][kChunk];
    for (std::size_t h = 0; h < gdn::kHeads; ++h) {
      for (std::size_t t = 0; t < rows; ++t) {
        const T scale = scalar_row(scalars, gdn::kReadScale, h)[t];
        Vec<T> sum{};
#pragma GCC unroll 6
        for (std::size_t j = h * kHead; j < (h + 1) * kHead; j += kLane) {
          const Vec<T> z = load<T>(raw + t * kColumns + kMixed + j);
          const Vec<T> s = load<T>(sigmoids + t * kSigmoids + kMixed + j);
          const Vec<T> normed = load<T>(read + t * kInner + j) * scale;
          const Vec<T> weight = load<T>(o_norm + j);
          const Vec<T> upstream = load<T>(d_read + t * kInner + j);
          const Vec<T> act = z * s;
          const Vec<T> both = upstream * normed;
          store<T>(gated + t * kInner + j, normed * weight * act);
          store<T>(d_raw + t * kColumns + kMixed + j, both * weight * multiply_add<T>(act, T(1) - s, s));
          store<T>(d_o_norm + j, multiply_add<T>(both, act, load<T>(d_o_norm + j)));
          const Vec<T> w = upstream * act * weight;
          store<T>(d_read + t * kInner + j, w);
          sum = multiply_add<T>(w, normed, sum);
        }
        partial[h][t] = sum;
      }
      alignas(64) T mean[kChunk];
      row_sums<T>(rows, mean, [&](std::size_t t) { return partial[h][t]; });
      for (std::size_t t = 0; t < rows; ++t) {
        const T scale = scalar_row(scalars, gdn::kReadScale, h)[t];
        const T pull = mean[t] / T(kHead) * scale;
#pragma GCC unroll 6
        for (std::size_t j = h * kHead; j < (h + 1) * kHead; j += kLane) {
          const Vec<T> w = load<T>(d_read + t * kInner + j);
          store<T>(d_read + t * kInner + j, (w - load<T>(read + t * kInner + j) * pull) * scale);
        }
      }
      for (std::size_t t = rows; t < kChunk; ++t) {
        for (std::size_t j = h * kHead; j < (h + 1) * kHead; j += kLane) store<T>(d_read + t * kInner + j, Vec<T>{});
      }
    }
  }

  /// dp_s = sum_j w_j dpre_{s+3-j} and dw_j += sum_t dpre_t p_{t-3+j} over the tokens of a block; three rows of dpre
  /// lie behind it, three rows of raw projections in front.
  [[gnu::noinline]] static void convolve_backward(const T* taps, const T* raw, const T* d_mixed, std::size_t rows,
                                                  T* d_raw, T* d_taps) {
    for (std::size_t j = 0; j < kMixed; j += kLane) {
      Vec<T> w[4], d_w[4], d[4], p[4];
#pragma GCC unroll 4
      for (std::size_t k = 0; k < 4; ++k) {
        w[k] = load<T>(taps + k * kMixed + j);
        d_w[k] = load<T>(d_taps + k * kMixed + j);
      }
#pragma GCC unroll 3
      for (std::size_t k = 0; k < 3; ++k) {
        d[k] = load<T>(d_mixed + k * kMixed + j);
        p[k] = load<T>(raw + k * kColumns - 3 * kColumns + j);
      }
      for (std::size_t t = 0; t < rows; ++t) {
        d[3] = load<T>(d_mixed + (t + 3) * kMixed + j);
        p[3] = load<T>(raw + t * kColumns + j);
        Vec<T> d_p = w[3] * d[0];
#pragma GCC unroll 3
        for (int k = 2; k >= 0; --k) d_p = multiply_add<T>(w[k], d[3 - k], d_p);
        store<T>(d_raw + t * kColumns + j, d_p);
#pragma GCC unroll 4
        for (int k = 0; k < 4; ++k) d_w[k] = multiply_add<T>(d[0], p[k], d_w[k]);
#pragma GCC unroll 3
        for (int k = 0; k < 3; ++k) {
          d[k] = d[k + 1];
          p[k] = p[k + 1];
        }
      }
#pragma GCC unroll 4
      for (std::size_t k = 0; k < 4; ++k) store<T>(d_taps + k * kMixed + j, d_w[k]);
    }
  }
};

}  // namespace schemamem::SCHEMAMEM_ISA
