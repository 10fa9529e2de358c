#include <algorithm>

#include "models/gated_delta_net/pointwise.h"
#include "models/gated_delta_net/steps.h"

namespace schemamem::SCHEMAMEM_ISA {

using namespace gdn;  // NOLINT(google-build-using-namespace): this file is that mixer's

namespace {

/// One head's S^T [V, K] by one token:
///   r = v - e^g S^T k,   x = beta r,   o = e^g S^T q + (k . q) x,   S^T <- e^g S^T + x k^T
template <class T>
void delta_step(const T* q, const T* k, const T* v, T decay, T beta, T* state, T* o) {
  constexpr int kVecs = static_cast<int>(kHead) / kLanes<T>;
  constexpr int kRows = kLanes<T>;
  static_assert(kHead % kRows == 0);
  alignas(64) T write[kHead];
  Vec<T> both{};
  for (int n = 0; n < kVecs; ++n) both = multiply_add<T>(load<T>(k + n * kLanes<T>), load<T>(q + n * kLanes<T>), both);
  const T overlap = horizontal_sum<T>(both);
  for (std::size_t first = 0; first < kHead; first += kRows) {
    Vec<T> recall[kRows], ask[kRows];
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
      recall[i] = ask[i] = Vec<T>{};
#pragma GCC unroll 6
      for (int n = 0; n < kVecs; ++n) {
        const Vec<T> s = load<T>(state + (first + i) * kHead + n * kLanes<T>);
        recall[i] = multiply_add<T>(s, load<T>(k + n * kLanes<T>), recall[i]);
        ask[i] = multiply_add<T>(s, load<T>(q + n * kLanes<T>), ask[i]);
      }
    }
    const Vec<T> x = (load<T>(v + first) - sums_of_lanes<T>(recall) * decay) * beta;
    store<T>(write + first, x);
    store<T>(o + first, sums_of_lanes<T>(ask) * decay + x * overlap);
  }
  for (std::size_t i = 0; i < kHead; ++i) {
#pragma GCC unroll 6
    for (int n = 0; n < kVecs; ++n) {
      T* const s = state + i * kHead + n * kLanes<T>;
      store<T>(s, multiply_add<T>(load<T>(k + n * kLanes<T>), broadcast<T>(write[i]), load<T>(s) * decay));
    }
  }
}

/// Shifts each channel's cache by one token and leaves the convolution's output in `pre`.
template <class T>
void convolve_step(const T* taps, const T* raw, T* cache, T* pre) {
  for (std::size_t i = 0; i < kMixed; ++i) {
    T* const last = cache + i * kTaps;
    last[0] = last[1];
    last[1] = last[2];
    last[2] = last[3];
    last[3] = raw[i];
    pre[i] = (taps[i] * last[0] + taps[kMixed + i] * last[1]) +
             (taps[2 * kMixed + i] * last[2] + taps[3 * kMixed + i] * last[3]);
  }
}

template <class T>
T squares(const T* x) {
  Vec<T> sum{};
  for (std::size_t j = 0; j < kHead; j += kLanes<T>) sum = multiply_add<T>(load<T>(x + j), load<T>(x + j), sum);
  return horizontal_sum<T>(sum);
}

template <class T>
void token_step(const T* folded, const T* raw, T* state, T* mixed, T* gated) {
  convolve_step<T>(folded + Folded::taps, raw, state + State::conv, mixed);
  for (std::size_t j = 0; j < kMixed; j += kLanes<T>) {
    const Vec<T> pre = load<T>(mixed + j);
    store<T>(mixed + j, pre * sigmoid<T>(pre));
  }
  for (std::size_t part = 0; part < 2 * kHeads; ++part) {
    T* const x = mixed + part * kHead;
    const T unit = std::sqrt(squares<T>(x) + T(kUnitEpsilon)) * (part < kHeads ? std::sqrt(T(kHead)) : T(1));
    for (std::size_t j = 0; j < kHead; j += kLanes<T>) store<T>(x + j, load<T>(x + j) / unit);
  }
  alignas(64) T decay[kGates], beta[kGates];
  for (std::size_t j = 0; j < kGates; j += kLanes<T>) {
    const Vec<T> gate = load<T>(raw + kMixed + kInner + j);
    const Vec<T> step = softplus<T>(gate + load<T>(folded + Folded::dt_bias + j));
    store<T>(decay + j, exponential<T>(step * -load<T>(folded + Folded::rate + j)));
    store<T>(beta + j, sigmoid<T>(gate));
  }
  for (std::size_t h = 0; h < kHeads; ++h) {
    const T* const q = mixed + h * kHead;
    T* const o = gated + h * kHead;
    delta_step<T>(q, q + kInner, q + 2 * kInner, decay[h], beta[kHeads + h], state + State::recurrent + h * kStateSize,
                  o);
    const T scale = T(1) / std::sqrt(squares<T>(o) / T(kHead) + T(kNormEpsilon));
    for (std::size_t j = 0; j < kHead; j += kLanes<T>) {
      const Vec<T> z = load<T>(raw + kMixed + h * kHead + j);
      store<T>(o + j, load<T>(o + j) * scale * load<T>(folded + Folded::o_norm + j) * (z * sigmoid<T>(z)));
    }
  }
}

}  // namespace

template <class T>
void gdn_advance(const T* folded, const T* u, std::size_t tokens, T* state, T* work, T* y) {
  T* const raw = work;
  T* const gated = raw + kStreamRows * kColumns;
  T* const mixed = gated + kStreamRows * kInner;
  for (std::size_t first = 0; first < tokens; first += kStreamRows) {
    const std::size_t rows = std::min(kStreamRows, tokens - first);
    multiply<T>({u + first * kModelWidth, kModelWidth, 1}, {folded + Folded::in, kColumns}, raw, kColumns, rows,
                Fixed<kColumns>{}, Fixed<kModelWidth>{});
    for (std::size_t t = 0; t < rows; ++t) {
      token_step<T>(folded, raw + t * kColumns, state, mixed, gated + t * kInner);
    }
    multiply_onto<T>({gated, kInner, 1}, {folded + Folded::out, kModelWidth}, y + first * kModelWidth, kModelWidth,
                     rows, Fixed<kModelWidth>{}, Fixed<kInner>{});
  }
}

template void gdn_advance<float>(const float*, const float*, std::size_t, float*, float*, float*);
template void gdn_advance<double>(const double*, const double*, std::size_t, double*, double*, double*);

/// The table of this instruction set.
template <class T>
gdn::Kernels<T> gdn_kernels() {
  return {.forward = &gdn_forward<T>, .backward = &gdn_backward<T>, .advance = &gdn_advance<T>};
}
template gdn::Kernels<float> gdn_kernels<float>();
template gdn::Kernels<double> gdn_kernels<double>();

}  // namespace schemamem::SCHEMAMEM_ISA
