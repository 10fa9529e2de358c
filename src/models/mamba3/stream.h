#pragma once

// The recurrence token by token, on a stream's own state. Tokens are projected a block at a time, which leaves the bits
// of each untouched (tile.h); everything behind the projection sees one token only.

#include "kernels/softplus.h"
#include "models/mamba3/kernels.h"
#include "models/mamba3/lanes.h"
#include "models/mamba3/work.h"

namespace schemamem::SCHEMAMEM_ISA {

/// to = gain * from / rms(from) + bias, its first entries rotated in pairs.
template <class T>
[[gnu::always_inline]] inline void mamba3_rotated(const T* from, const T* gain, const T* bias, const T* cos,
                                                  const T* sin, T* normed, T* to) {
  using namespace mamba3;
  Vec<T> squares{};
  for (std::size_t n = 0; n < kState; n += kLanes<T>) {
    const Vec<T> x = load<T>(from + n);
    squares = multiply_add<T>(x, x, squares);
  }
  const T scale = T(1) / square_root(horizontal_sum<T>(squares) / T(kState) + T(kNormEpsilon));
  for (std::size_t n = 0; n < kState; n += kLanes<T>) {
    store<T>(normed + n, load<T>(from + n) * scale * load<T>(gain + n) + load<T>(bias + n));
  }
  for (std::size_t j = 0; j < kAngles; ++j) {
    const T x = normed[2 * j], y = normed[2 * j + 1];
    to[2 * j] = x * cos[j] - y * sin[j];
    to[2 * j + 1] = x * sin[j] + y * cos[j];
  }
  for (std::size_t n = 2 * kAngles; n < kState; ++n) to[n] = normed[n];
}

/// S = alpha S + beta v' k'^T + gamma v k^T, o = S q + D v; k' and v' are then replaced by k and v.
template <class T>
[[gnu::always_inline]] inline void mamba3_update(T alpha, T beta, T gamma, T d, const T* key, const T* value,
                                                 const T* query, T* ssm, T* key_before, T* value_before, T* o) {
  using namespace mamba3;
  constexpr std::size_t kVecs = kState / kLanes<T>;
  for (std::size_t first = 0; first < kValue; first += kLanes<T>) {
    Vec<T> sums[kLanes<T>];
#pragma GCC unroll 1
    for (std::size_t r = 0; r < kLanes<T>; ++r) {
      const std::size_t p = first + r;
      const Vec<T> old = broadcast<T>(beta * value_before[p]), fresh = broadcast<T>(gamma * value[p]);
      Vec<T> even{}, odd{};
      T* const row = ssm + p * kState;
      const auto step = [&](std::size_t v, Vec<T>& sum) {
        const std::size_t n = v * kLanes<T>;
        const Vec<T> written = multiply_add<T>(old, load<T>(key_before + n), fresh * load<T>(key + n));
        const Vec<T> s = multiply_add<T>(broadcast<T>(alpha), load<T>(row + n), written);
        store<T>(row + n, s);
        sum = multiply_add<T>(s, load<T>(query + n), sum);
      };
#pragma GCC unroll 10
      for (std::size_t v = 0; v + 1 < kVecs; v += 2) {
        step(v, even);
        step(v + 1, odd);
      }
      if constexpr (kVecs % 2 == 1) step(kVecs - 1, even);
      sums[r] = even + odd;
    }
    transpose_square<T>(sums);
    Vec<T> total = sums[0];
#pragma GCC unroll 16
    for (int r = 1; r < kLanes<T>; ++r) total += sums[r];
    store<T>(o + first, multiply_add<T>(broadcast<T>(d), load<T>(value + first), total));
  }
  for (std::size_t n = 0; n < kState; n += kLanes<T>) store<T>(key_before + n, load<T>(key + n));
  for (std::size_t p = 0; p < kValue; p += kLanes<T>) store<T>(value_before + p, load<T>(value + p));
}

/// One token: from its projection to the gated output [64].
template <class T>
[[gnu::always_inline]] inline void mamba3_token(const T* folded, const T* projected, T* state,
                                                mamba3::StreamWork<T>& work, T* gated) {
  using namespace mamba3;
  using Work = mamba3::StreamWork<T>;
  constexpr T kPi = T(3.141592653589793238);
  for (std::size_t i = 0; i < Work::kGatePad; ++i) {
    const T bias = i < kHeads ? folded[kFoldDtBias + i] : T(0);
    work.gate[i] = i < 3 * kHeads ? projected[kRowDt + i] + bias : T(0);
  }
  for (std::size_t i = 0; i < Work::kRatePad; ++i) work.rate[i] = i < kAngles ? projected[kRowAngle + i] : T(0);
  for (std::size_t i = 0; i < Work::kGatePad; i += kLanes<T>) {
    store<T>(work.softplus + i, softplus<T>(load<T>(work.gate + i)));
    store<T>(work.sigmoid + i, sigmoid<T>(load<T>(work.gate + i)));
  }
  for (std::size_t i = 0; i < Work::kRatePad; i += kLanes<T>) {
    store<T>(work.rate + i, hyperbolic_tangent<T>(load<T>(work.rate + i)));
  }
  T* const angle = state + kStateAngle;
  for (std::size_t h = 0; h < kHeads; ++h) {
    for (std::size_t j = 0; j < kAngles; ++j) angle[h * kAngles + j] += kPi * work.rate[j] * work.softplus[h];
  }
  for (std::size_t i = 0; i < kHeads * kAngles; i += kLanes<T>) {
    const Vec<T> phi = reduce_angle<T>(load<T>(angle + i));
    const SinCos<T> circle = sincos<T>(phi);
    store<T>(angle + i, phi);
    store<T>(work.cos + i, circle.cos);
    store<T>(work.sin + i, circle.sin);
  }
  for (std::size_t i = 0; i < kHeads; ++i) {  // e^(A Dt) in the place of the gates
    const T rate = work.softplus[kHeads + i];
    work.gate[i] = -(rate > T(kDecayFloor) ? rate : T(kDecayFloor)) * work.softplus[i];
  }
  for (std::size_t i = 0; i < Work::kGatePad; i += kLanes<T>) {
    store<T>(work.gate + i, exponential<T>(load<T>(work.gate + i)));
  }
  for (std::size_t h = 0; h < kHeads; ++h) {
    const std::size_t g = h / kHeadsOfGroup;
    const T dt = work.softplus[h], lambda = work.sigmoid[2 * kHeads + h], alpha = work.gate[h];
    const T* const cos = work.cos + h * kAngles;
    const T* const sin = work.sin + h * kAngles;
    mamba3_rotated<T>(projected + kRowB + g * kState, folded + kFoldBNorm, folded + kFoldBBias + h * kState, cos, sin,
                      work.normed, work.key);
    mamba3_rotated<T>(projected + kRowC + g * kState, folded + kFoldCNorm, folded + kFoldCBias + h * kState, cos, sin,
                      work.normed, work.query);
    mamba3_update<T>(alpha, (T(1) - lambda) * dt * alpha, lambda * dt, folded[kFoldD + h], work.key,
                     projected + kRowX + h * kValue, work.query, state + kStateSsm + h * kValue * kState,
                     state + kStateK + h * kState, state + kStateV + h * kValue, work.o);
    for (std::size_t p = 0; p < kValue; p += kLanes<T>) {
      const Vec<T> z = load<T>(projected + kRowZ + h * kValue + p);
      store<T>(gated + h * kValue + p, load<T>(work.o + p) * z * sigmoid<T>(z));
    }
  }
}

template <class T>
void mamba3_advance(const mamba3::Advance<T>& call) {
  using namespace mamba3;
  using Work = mamba3::StreamWork<T>;
  Work& work = *reinterpret_cast<Work*>(call.work);
  for (std::size_t first = 0; first < call.tokens; first += Work::kTokens) {
    const std::size_t tokens = call.tokens - first < Work::kTokens ? call.tokens - first : Work::kTokens;
    multiply<T>({call.u + first * call.u_row, call.u_row, 1}, {call.folded + kFoldInT, kRows}, work.projected, kRows,
                tokens, Fixed<kRows>{}, Fixed<kWidth>{});
    for (std::size_t t = 0; t < tokens; ++t) {
      mamba3_token<T>(call.folded, work.projected + t * kRows, call.state, work, work.gated + t * kInner);
    }
    multiply_onto<T>({work.gated, kInner, 1}, {call.folded + kFoldOutT, kWidth}, call.y + first * call.y_row,
                     call.y_row, tokens, Fixed<kWidth>{}, Fixed<kInner>{});
  }
}

}  // namespace schemamem::SCHEMAMEM_ISA
