#pragma once

#include "kernels/softplus.h"
#include "models/baseline/mixer.h"
#include "models/mamba3/tape.h"

namespace schemamem::SCHEMAMEM_ISA {

/// Dt = softplus(dt~ + dt_bias), A = min(-softplus(A~), -1e-4), lambda = sigmoid(tr~), gamma = lambda Dt,
/// c = running sum of A Dt inside the chunk. Tokens that do not exist get Dt = 0: they neither decay, nor turn, nor
/// write. So do those whose Dt is below the floor; where only the decay is below it, A is zero. Their slopes are zero.
template <class T, class S>
[[gnu::always_inline]] inline void mamba3_gates(const T* folded, GateFloor<T> floor, const Mamba3Chunk<T, S>& chunk) {
  using namespace mamba3;
  const S& s = chunk.s;
  for (std::size_t h = 0; h < s.heads; ++h) {
    const T* const raw_dt = chunk.raw(s.row.dt + h);
    const T* const raw_a = chunk.raw(s.row.a + h);
    const T* const raw_trap = chunk.raw(s.row.trap + h);
    T* const log = chunk.gate(kGateLog, h);
    for_row<T>([&](std::size_t i) {
      const VecInt<T> exists =
          first_lanes<T>(static_cast<std::ptrdiff_t>(chunk.tokens) - static_cast<std::ptrdiff_t>(i));
      const Vec<T> x = load<T>(raw_dt + i) + folded[s.folded.dt_bias + h];
      const Vec<T> step = softplus<T>(x);
      const VecInt<T> moves = exists & ~(step < floor.write);
      const Vec<T> dt = keep<T>(moves, step);
      const Vec<T> a_raw = load<T>(raw_a + i);
      const Vec<T> rate = softplus<T>(a_raw);
      const Vec<T> bounded = max<T>(rate, broadcast<T>(T(kDecayFloor)));
      const VecInt<T> fades = ~(bounded * dt < floor.decay), free = fades & (rate >= T(kDecayFloor));
      const Vec<T> decay = keep<T>(fades, -bounded);
      const Vec<T> lambda = sigmoid<T>(load<T>(raw_trap + i));
      store<T>(chunk.gate(kGateDt, h) + i, dt);
      store<T>(chunk.gate(kGateDtSlope, h) + i, keep<T>(moves, sigmoid<T>(x)));
      store<T>(chunk.gate(kGateDecay, h) + i, decay);
      store<T>(chunk.gate(kGateDecaySlope, h) + i, keep<T>(free, -sigmoid<T>(a_raw)));
      store<T>(chunk.gate(kGateLambda, h) + i, lambda);
      store<T>(chunk.gate(kGateGamma, h) + i, lambda * dt);
      store<T>(chunk.gate(kGateBehind, h) + i, (T(1) - lambda) * dt);
      store<T>(log + i, decay * dt);
    });
    prefix_sum<T>(log, T(0));
    for_row<T>([&](std::size_t i) {
      const Vec<T> c = load<T>(log + i);
      store<T>(chunk.gate(kGateIn, h) + i, exponential<T>(c));
      store<T>(chunk.gate(kGateOut, h) + i, exponential<T>(log[kChunk - 1] - c));
    });
  }
}

/// phi = (phi + pi tanh(th~) Dt) mod 2 pi, and its cosine and sine; `angle` [H, R] moves on to the chunk's end.
template <class T, class S>
[[gnu::always_inline]] inline void mamba3_turns(const Mamba3Chunk<T, S>& chunk, T* angle) {
  using namespace mamba3;
  const S& s = chunk.s;
  constexpr T kPi = T(3.141592653589793238);
  for (std::size_t j = 0; j < s.angles; ++j) {
    T* const rate = chunk.rate + j * kChunk;
    for_row<T>(
        [&](std::size_t i) { store<T>(rate + i, hyperbolic_tangent<T>(load<T>(chunk.raw(s.row.angle + j) + i))); });
    for (std::size_t h = 0; h < s.heads; ++h) {
      T* const turn = chunk.turn_of(h) + j * 2 * kChunk;
      T* const dt = chunk.gate(kGateDt, h);
      for_row<T>([&](std::size_t i) { store<T>(turn + i, kPi * load<T>(rate + i) * load<T>(dt + i)); });
      prefix_sum<T>(turn, angle[h * s.angles + j]);
      for_row<T>([&](std::size_t i) {
        const Vec<T> phi = reduce_angle<T>(load<T>(turn + i));
        const SinCos<T> circle = sincos<T>(phi);
        store<T>(turn + i, circle.cos);
        store<T>(turn + kChunk + i, circle.sin);
        angle[h * s.angles + j] = phi[kLanes<T> - 1];
      });
    }
  }
}

/// 1 / sqrt(mean(x^2) + eps) of each token over the N rows of `x`.
template <class T, class S>
[[gnu::always_inline]] inline void mamba3_scale(const S& s, const T* x, T* scale) {
  using namespace mamba3;
  for_row<T>([&](std::size_t i) {
    Vec<T> even{}, odd{};
    for (std::size_t n = 0; n < s.state; n += 2) {
      const Vec<T> a = load<T>(x + n * kChunk + i), b = load<T>(x + (n + 1) * kChunk + i);
      even = multiply_add<T>(a, a, even);
      odd = multiply_add<T>(b, b, odd);
    }
    store<T>(scale + i, (even + odd) * (T(1) / T(s.state)) + T(kNormEpsilon));
  });
  for (std::size_t i = 0; i < kChunk; ++i) scale[i] = T(1) / square_root(scale[i]);
}

/// k = rotate(B_norm B / rms + B_bias), q = rotate(C_norm C / rms + C_bias), and q . k, for the heads of each group.
template <class T, class S>
[[gnu::always_inline]] inline void mamba3_keys_and_queries(const T* folded, const Mamba3Chunk<T, S>& chunk) {
  using namespace mamba3;
  const S& s = chunk.s;
  const std::size_t sharing = s.heads_of_group;
  for (std::size_t g = 0; g < s.groups; ++g) {
    const T* const raw_b = chunk.raw(s.row.b + g * s.state);
    const T* const raw_c = chunk.raw(s.row.c + g * s.state);
    T* const scale_b = chunk.scale + g * kChunk;
    T* const scale_c = chunk.scale + (s.groups + g) * kChunk;
    mamba3_scale<T>(s, raw_b, scale_b);
    mamba3_scale<T>(s, raw_c, scale_c);
    for_row<T>([&](std::size_t i) {
      const Vec<T> b_scale = load<T>(scale_b + i), c_scale = load<T>(scale_c + i);
      Vec<T> own[S::kMostHeadsOfGroup];
#pragma GCC unroll 2
      for (std::size_t m = 0; m < sharing; ++m) own[m] = Vec<T>{};
      const auto normed = [&](const T* raw, Vec<T> scale, std::size_t norm, std::size_t n) {
        return load<T>(raw + n * kChunk + i) * scale * folded[norm + n];
      };
      const auto put = [&](std::size_t head, std::size_t n, Vec<T> k, Vec<T> q) {
        store<T>(chunk.key_of(head) + n * kChunk + i, k);
        store<T>(chunk.query_of(head) + n * kChunk + i, q);
      };
      for (std::size_t n = 0; n < 2 * s.angles; n += 2) {
        const Vec<T> b0 = normed(raw_b, b_scale, s.folded.b_norm, n),
                     b1 = normed(raw_b, b_scale, s.folded.b_norm, n + 1);
        const Vec<T> c0 = normed(raw_c, c_scale, s.folded.c_norm, n),
                     c1 = normed(raw_c, c_scale, s.folded.c_norm, n + 1);
#pragma GCC unroll 2
        for (std::size_t m = 0; m < sharing; ++m) {
          const std::size_t h = g * sharing + m;
          const Vec<T> cos = load<T>(chunk.turn_of(h) + n * kChunk + i);
          const Vec<T> sin = load<T>(chunk.turn_of(h) + (n + 1) * kChunk + i);
          const T* const b_bias = folded + s.folded.b_bias + h * s.state + n;
          const T* const c_bias = folded + s.folded.c_bias + h * s.state + n;
          const Vec<T> k0 = b0 + b_bias[0], k1 = b1 + b_bias[1], q0 = c0 + c_bias[0], q1 = c1 + c_bias[1];
          put(h, n, multiply_add<T>(k0, cos, -(k1 * sin)), multiply_add<T>(q0, cos, -(q1 * sin)));
          put(h, n + 1, multiply_add<T>(k0, sin, k1 * cos), multiply_add<T>(q0, sin, q1 * cos));
          own[m] = multiply_add<T>(k1, q1, multiply_add<T>(k0, q0, own[m]));
        }
      }
      for (std::size_t n = 2 * s.angles; n < s.state; ++n) {
        const Vec<T> b = normed(raw_b, b_scale, s.folded.b_norm, n), c = normed(raw_c, c_scale, s.folded.c_norm, n);
#pragma GCC unroll 2
        for (std::size_t m = 0; m < sharing; ++m) {
          const std::size_t h = g * sharing + m;
          const Vec<T> k = b + folded[s.folded.b_bias + h * s.state + n],
                       q = c + folded[s.folded.c_bias + h * s.state + n];
          put(h, n, k, q);
          own[m] = multiply_add<T>(k, q, own[m]);
        }
      }
#pragma GCC unroll 2
      for (std::size_t m = 0; m < sharing; ++m) {
        store<T>(chunk.gate(kGateOwn, g * sharing + m) + i, own[m]);
      }
    });
  }
}

}  // namespace schemamem::SCHEMAMEM_ISA
