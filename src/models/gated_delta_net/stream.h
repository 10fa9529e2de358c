#pragma once

#include <algorithm>

#include "models/gated_delta_net/pointwise.h"

namespace schemamem::SCHEMAMEM_ISA {

/// The mixer token by token.
template <class T, class Sizes>
struct GdnStream {
  static constexpr std::size_t kTaps = gdn::kTaps, kStreamRows = gdn::kStreamRows;

  static void run(const gdn::AnySizes& sizes, const MixerAdvance<T>& call) {
    const Sizes s(sizes);
    const gdn::Folded at(s);
    const T* const folded = call.folded.data();
    const std::size_t tokens = call.u.extent(0);
    T* const raw = call.blocks[0];
    T* const gated = raw + kStreamRows * s.columns;
    T* const mixed = gated + kStreamRows * s.inner;
    for (std::size_t first = 0; first < tokens; first += kStreamRows) {
      const std::size_t rows = std::min(kStreamRows, tokens - first);
      multiply<T>({call.u.data() + first * s.width, s.width, 1}, {folded + at.in, s.columns}, raw, s.columns, rows,
                  s.columns, s.width);
      for (std::size_t t = 0; t < rows; ++t) {
        token_step(s, folded, call.floor, raw + t * s.columns, call.state.data(), mixed, gated + t * s.inner);
      }
      multiply_onto<T>({gated, s.inner, 1}, {folded + at.out, s.width}, call.y.data() + first * s.width, s.width, rows,
                       s.width, s.inner);
    }
  }

 private:
  /// One head's S^T [V, K] by one token:
  ///   r = v - e^g S^T k,   x = beta r,   o = e^g S^T q + (k . q) x,   S^T <- e^g S^T + x k^T
  static void delta_step(Sizes s, const T* q, const T* k, const T* v, T decay, T beta, T* state, T* o) {
    constexpr int kRows = kLanes<T>;
    const int vecs = static_cast<int>(s.head / kLanes<T>);
    alignas(64) T write[Sizes::kMostHead];
    Vec<T> both{};
    for (int n = 0; n < vecs; ++n) both = multiply_add<T>(load<T>(k + n * kLanes<T>), load<T>(q + n * kLanes<T>), both);
    const T overlap = horizontal_sum<T>(both);
    for (std::size_t first = 0; first < s.head; first += kRows) {
      Vec<T> recall[kRows], ask[kRows];
#pragma GCC unroll 16
      for (int i = 0; i < kRows; ++i) {
        recall[i] = ask[i] = Vec<T>{};
#pragma GCC unroll 6
        for (int n = 0; n < vecs; ++n) {
          const Vec<T> old = load<T>(state + (first + i) * s.head + n * kLanes<T>);
          recall[i] = multiply_add<T>(old, load<T>(k + n * kLanes<T>), recall[i]);
          ask[i] = multiply_add<T>(old, load<T>(q + n * kLanes<T>), ask[i]);
        }
      }
      const Vec<T> x = (load<T>(v + first) - sums_of_lanes<T>(recall) * decay) * beta;
      store<T>(write + first, x);
      store<T>(o + first, sums_of_lanes<T>(ask) * decay + x * overlap);
    }
    for (std::size_t i = 0; i < s.head; ++i) {
#pragma GCC unroll 6
      for (int n = 0; n < vecs; ++n) {
        T* const at = state + i * s.head + n * kLanes<T>;
        store<T>(at, multiply_add<T>(load<T>(k + n * kLanes<T>), broadcast<T>(write[i]), load<T>(at) * decay));
      }
    }
  }

  /// Shifts each channel's cache by one token and leaves the convolution's output in `pre`.
  static void convolve_step(Sizes s, const T* taps, const T* raw, T* cache, T* pre) {
    for (std::size_t i = 0; i < s.mixed; ++i) {
      T* const last = cache + i * kTaps;
      last[0] = last[1];
      last[1] = last[2];
      last[2] = last[3];
      last[3] = raw[i];
      pre[i] = (taps[i] * last[0] + taps[s.mixed + i] * last[1]) +
               (taps[2 * s.mixed + i] * last[2] + taps[3 * s.mixed + i] * last[3]);
    }
  }

  static T squares(Sizes s, const T* x) {
    Vec<T> sum{};
    for (std::size_t j = 0; j < s.head; j += kLanes<T>) sum = multiply_add<T>(load<T>(x + j), load<T>(x + j), sum);
    return horizontal_sum<T>(sum);
  }

  static void token_step(Sizes s, const T* folded, GateFloor<T> floor, const T* raw, T* state, T* mixed, T* gated) {
    const gdn::Folded at(s);
    const gdn::State in_state(s);
    convolve_step(s, folded + at.taps, raw, state + in_state.conv, mixed);
    for (std::size_t j = 0; j < s.mixed; j += kLanes<T>) {
      const Vec<T> pre = load<T>(mixed + j);
      store<T>(mixed + j, pre * sigmoid<T>(pre));
    }
    for (std::size_t part = 0; part < 2 * s.heads; ++part) {
      T* const x = mixed + part * s.head;
      const T unit = std::sqrt(squares(s, x) + T(gdn::kUnitEpsilon)) * (part < s.heads ? std::sqrt(T(s.head)) : T(1));
      for (std::size_t j = 0; j < s.head; j += kLanes<T>) store<T>(x + j, load<T>(x + j) / unit);
    }
    alignas(64) T decay[Sizes::kMostGates], beta[Sizes::kMostGates];
    for (std::size_t j = 0; j < s.gates; j += kLanes<T>) {
      const Vec<T> gate = load<T>(raw + s.mixed + s.inner + j);
      const Vec<T> step = softplus<T>(gate + load<T>(folded + at.dt_bias + j));
      const Vec<T> spent = step * load<T>(folded + at.rate + j), open = sigmoid<T>(gate);
      store<T>(decay + j, exponential<T>(spent < floor.decay ? Vec<T>{} : -spent));
      store<T>(beta + j, open < floor.write ? Vec<T>{} : open);
    }
    for (std::size_t h = 0; h < s.heads; ++h) {
      const T* const q = mixed + h * s.head;
      T* const o = gated + h * s.head;
      delta_step(s, q, q + s.inner, q + 2 * s.inner, decay[h], beta[s.heads + h],
                 state + in_state.recurrent + h * s.state, o);
      const T scale = T(1) / std::sqrt(squares(s, o) / T(s.head) + T(gdn::kNormEpsilon));
      for (std::size_t j = 0; j < s.head; j += kLanes<T>) {
        const Vec<T> z = load<T>(raw + s.mixed + h * s.head + j);
        store<T>(o + j, load<T>(o + j) * scale * load<T>(folded + at.o_norm + j) * (z * sigmoid<T>(z)));
      }
    }
  }
};

}  // namespace schemamem::SCHEMAMEM_ISA
