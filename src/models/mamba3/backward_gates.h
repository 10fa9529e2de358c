#pragma once

#include "models/mamba3/tape.h"
#include "models/mamba3/work.h"

namespace schemamem::SCHEMAMEM_ISA {

/// From the rotated keys and queries of a group's heads back to raw B and C; also d_turn, v^T E k, and the gradients of
/// the biases and norms. The rotated vector's gradient d~ turns the angle by d~[2j+1] x~[2j] - d~[2j] x~[2j+1].
template <class T, class S>
[[gnu::always_inline]] inline void mamba3_group_backward(const T* folded, const Mamba3Chunk<T, S>& chunk, std::size_t g,
                                                         const mamba3::Extra<T*>* extra,
                                                         const mamba3::BackwardWork<T*>& all_work,
                                                         const mamba3::Sums<T*>& all_sums) {
  using namespace mamba3;
  const S& s = chunk.s;
  const std::size_t sharing = s.heads_of_group;
  T* const d_b = all_work.d_projected + (s.row.b + g * s.state) * kChunk;
  T* const d_c = all_work.d_projected + (s.row.c + g * s.state) * kChunk;
  const T* const raw_b = chunk.raw(s.row.b + g * s.state);
  const T* const raw_c = chunk.raw(s.row.c + g * s.state);
  for_row<T>([&](std::size_t i) {
    const BackwardWork<T*> work = all_work;  // copies: for all the compiler knows, a store might change the originals
    const Sums<T*> sums = all_sums;
    const Vec<T> scale_b = load<T>(chunk.scale + g * kChunk + i);
    const Vec<T> scale_c = load<T>(chunk.scale + (s.groups + g) * kChunk + i);
    Vec<T> strength[S::kMostHeadsOfGroup], own[S::kMostHeadsOfGroup], write_dot[S::kMostHeadsOfGroup];
#pragma GCC unroll 2
    for (std::size_t m = 0; m < sharing; ++m) {
      const std::size_t h = g * sharing + m;
      strength[m] = load<T>(chunk.gate(kGateStrength, h) + i);
      own[m] = load<T>(chunk.gate(kGateGamma, h) + i) * load<T>(work.own_dot + h * kChunk + i);
      write_dot[m] = Vec<T>{};
    }
    Vec<T> mean_b{}, mean_c{};

    struct Pair {
      Vec<T> k, q, d_k, d_q;
    };
    const auto rotated = [&](std::size_t m, std::size_t n) {
      const std::size_t h = g * sharing + m, at = n * kChunk + i;
      const Vec<T> k = load<T>(chunk.key_of(h) + at), q = load<T>(chunk.query_of(h) + at);
      const Vec<T> e = load<T>(work.d_write_key + m * s.state * kChunk + at);
      write_dot[m] = multiply_add<T>(e, k, write_dot[m]);
      Vec<T> d_k = multiply_add<T>(own[m], q, strength[m] * e);
      if (extra != nullptr) d_k += load<T>(extra->key + h * s.state * kChunk + at);
      return Pair{k, q, d_k, multiply_add<T>(own[m], k, load<T>(work.d_query + m * s.state * kChunk + at))};
    };
    const auto add = [&](T* sum, Vec<T> value) { store<T>(sum, load<T>(sum) + value); };
    const auto through_norm = [&](std::size_t n, Vec<T> d_k, Vec<T> d_q) {
      const std::size_t at = n * kChunk + i;
      const Vec<T> b = load<T>(raw_b + at) * scale_b, c = load<T>(raw_c + at) * scale_c;
      add(sums.b_norm + at, d_k * b);
      add(sums.c_norm + at, d_q * c);
      const Vec<T> w_b = d_k * folded[s.folded.b_norm + n], w_c = d_q * folded[s.folded.c_norm + n];
      mean_b = multiply_add<T>(w_b, b, mean_b);
      mean_c = multiply_add<T>(w_c, c, mean_c);
      store<T>(d_b + at, w_b);
      store<T>(d_c + at, w_c);
    };

    for (std::size_t n = 0; n < 2 * s.angles; n += 2) {
      Vec<T> d_k0{}, d_k1{}, d_q0{}, d_q1{};
#pragma GCC unroll 2
      for (std::size_t m = 0; m < sharing; ++m) {
        const std::size_t h = g * sharing + m;
        const Pair x = rotated(m, n), y = rotated(m, n + 1);
        store<T>(work.d_turn + (h * s.angles + n / 2) * kChunk + i,
                 multiply_add<T>(y.d_q, x.q, -(x.d_q * y.q)) + multiply_add<T>(y.d_k, x.k, -(x.d_k * y.k)));
        const Vec<T> cos = load<T>(chunk.turn_of(h) + n * kChunk + i);
        const Vec<T> sin = load<T>(chunk.turn_of(h) + (n + 1) * kChunk + i);
        const Vec<T> k0 = multiply_add<T>(x.d_k, cos, y.d_k * sin), k1 = multiply_add<T>(y.d_k, cos, -(x.d_k * sin));
        const Vec<T> q0 = multiply_add<T>(x.d_q, cos, y.d_q * sin), q1 = multiply_add<T>(y.d_q, cos, -(x.d_q * sin));
        T* const b_sum = sums.b_bias + (h * s.state + n) * kChunk + i;
        T* const c_sum = sums.c_bias + (h * s.state + n) * kChunk + i;
        add(b_sum, k0);
        add(b_sum + kChunk, k1);
        add(c_sum, q0);
        add(c_sum + kChunk, q1);
        d_k0 += k0;
        d_k1 += k1;
        d_q0 += q0;
        d_q1 += q1;
      }
      through_norm(n, d_k0, d_q0);
      through_norm(n + 1, d_k1, d_q1);
    }
    for (std::size_t n = 2 * s.angles; n < s.state; ++n) {
      Vec<T> d_k{}, d_q{};
#pragma GCC unroll 2
      for (std::size_t m = 0; m < sharing; ++m) {
        const std::size_t h = g * sharing + m;
        const Pair x = rotated(m, n);
        add(sums.b_bias + (h * s.state + n) * kChunk + i, x.d_k);
        add(sums.c_bias + (h * s.state + n) * kChunk + i, x.d_q);
        d_k += x.d_k;
        d_q += x.d_q;
      }
      through_norm(n, d_k, d_q);
    }
    mean_b *= scale_b * (T(1) / T(s.state));
    mean_c *= scale_c * (T(1) / T(s.state));
    for (std::size_t at = i; at < s.state * kChunk; at += kChunk) {
      store<T>(d_b + at, (load<T>(d_b + at) - load<T>(raw_b + at) * mean_b) * scale_b);
      store<T>(d_c + at, (load<T>(d_c + at) - load<T>(raw_c + at) * mean_c) * scale_c);
    }
#pragma GCC unroll 2
    for (std::size_t m = 0; m < sharing; ++m) {
      store<T>(work.write_dot + ((g * sharing + m) * 2 + 1) * kChunk + i, write_dot[m]);
    }
  });
}

/// The gradients of dt~, A~, tr~ and th~:
///   e = ds + (q . k)(v . do),  f_t = ds_{t-1},  d lambda = Dt (e - f),
///   dDt = lambda e + (1 - lambda) f + A d(A Dt) + pi sum_j G_j tanh(th~_j),  G the angle's gradient from here on.
template <class T, class S>
[[gnu::always_inline]] inline void mamba3_gates_backward(const Mamba3Chunk<T, S>& chunk, const mamba3::Extra<T*>* extra,
                                                         const mamba3::BackwardWork<T*>& work,
                                                         const mamba3::Sums<T*>& sums) {
  using namespace mamba3;
  const S& s = chunk.s;
  const std::size_t heads = s.heads;
  constexpr T kPi = T(3.141592653589793238);
  for (std::size_t j = 0; j < s.angles; ++j) {
    for (std::size_t h = 0; h < heads; ++h) {
      T* const d_turn = work.d_turn + (h * s.angles + j) * kChunk;
      suffix_sum<T>(d_turn, work.d_angle[h * s.angles + j]);
      work.d_angle[h * s.angles + j] = d_turn[0];
    }
    for_row<T>([&](std::size_t i) {
      Vec<T> d_rate{};
#pragma GCC unroll 4
      for (std::size_t h = 0; h < heads; ++h) {
        d_rate = multiply_add<T>(load<T>(work.d_turn + (h * s.angles + j) * kChunk + i),
                                 load<T>(chunk.gate(kGateDt, h) + i), d_rate);
      }
      const Vec<T> rate = load<T>(chunk.rate + j * kChunk + i);
      store<T>(work.d_projected + (s.row.angle + j) * kChunk + i, kPi * (T(1) - rate * rate) * d_rate);
    });
  }
  for (std::size_t h = 0; h < heads; ++h) {
    const T* const before = work.write_dot + h * 2 * kChunk + kChunk - 1;
    const T* const write_dot = before + 1;
    for_row<T>([&](std::size_t i) {
      Vec<T> term =
          load<T>(work.read_dot + h * kChunk + i) - load<T>(chunk.gate(kGateStrength, h) + i) * load<T>(write_dot + i);
      if (extra != nullptr) term += load<T>(extra->read_dot + h * kChunk + i);
      store<T>(work.d_log + i, term);
    });
    suffix_sum<T>(work.d_log, work.closing[h]);
    for_row<T>([&](std::size_t i) {
      const Vec<T> dt = load<T>(chunk.gate(kGateDt, h) + i), lambda = load<T>(chunk.gate(kGateLambda, h) + i);
      const Vec<T> d_log = load<T>(work.d_log + i), f = load<T>(before + i);
      Vec<T> e = multiply_add<T>(load<T>(chunk.gate(kGateOwn, h) + i), load<T>(work.own_dot + h * kChunk + i),
                                 load<T>(write_dot + i));
      if (extra != nullptr) e += load<T>(extra->own_write + h * kChunk + i);
      Vec<T> turned{};
      for (std::size_t j = 0; j < s.angles; ++j) {
        turned = multiply_add<T>(load<T>(work.d_turn + (h * s.angles + j) * kChunk + i),
                                 load<T>(chunk.rate + j * kChunk + i), turned);
      }
      const Vec<T> d_dt =
          multiply_add<T>(lambda, e - f, f) + load<T>(chunk.gate(kGateDecay, h) + i) * d_log + kPi * turned;
      const Vec<T> d_raw_dt = d_dt * load<T>(chunk.gate(kGateDtSlope, h) + i);
      store<T>(work.d_projected + (s.row.dt + h) * kChunk + i, d_raw_dt);
      store<T>(work.d_projected + (s.row.a + h) * kChunk + i, load<T>(chunk.gate(kGateDecaySlope, h) + i) * dt * d_log);
      store<T>(work.d_projected + (s.row.trap + h) * kChunk + i, dt * (e - f) * lambda * (T(1) - lambda));
      store<T>(sums.dt_bias + h * kChunk + i, load<T>(sums.dt_bias + h * kChunk + i) + d_raw_dt);
    });
  }
}

/// to[r] += the sum of row r.
template <class T>
[[gnu::always_inline]] inline void add_row_sums(const T* sums, std::size_t rows, T* to) {
  for (std::size_t r = 0; r < rows; ++r) {
    Vec<T> sum{};
    for_row<T>([&](std::size_t i) { sum += load<T>(sums + r * mamba3::kChunk + i); });
    to[r] += horizontal_sum<T>(sum);
  }
}

}  // namespace schemamem::SCHEMAMEM_ISA
