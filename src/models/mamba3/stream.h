// The recurrence token by token, on a stream's own state. Tokens are projected a block at a time, which leaves the bits
// of each untouched (tile.h); everything behind the projection sees one token only.

#pragma once

#include "kernels/softplus.h"
#include "models/mamba3/kernels.h"
#include "models/mamba3/lanes.h"
#include "models/mamba3/work.h"

namespace schemamem::SCHEMAMEM_ISA {

/// to = gain * from / rms(from) + bias, its first entries rotated in pairs.
template <class T, class S>
[[gnu::always_inline]] inline void mamba3_rotated(const S& s, const T* from, const T* gain, const T* bias, const T* cos,
                                                  const T* sin, T* normed, T* to) {
  using namespace mamba3;
  Vec<T> squares{};
  for (std::size_t n = 0; n < s.state; n += kLanes<T>) {
    const Vec<T> x = load<T>(from + n);
    squares = multiply_add<T>(x, x, squares);
  }
  const T scale = T(1) / square_root(horizontal_sum<T>(squares) / T(s.state) + T(kNormEpsilon));
  for (std::size_t n = 0; n < s.state; n += kLanes<T>) {
    store<T>(normed + n, load<T>(from + n) * scale * load<T>(gain + n) + load<T>(bias + n));
  }
  for (std::size_t j = 0; j < s.angles; ++j) {
    const T x = normed[2 * j], y = normed[2 * j + 1];
    to[2 * j] = x * cos[j] - y * sin[j];
    to[2 * j + 1] = x * sin[j] + y * cos[j];
  }
  for (std::size_t n = 2 * s.angles; n < s.state; ++n) to[n] = normed[n];
}

/// S = alpha S + beta v' k'^T + gamma v k^T, o = S q + D v; k' and v' are then replaced by k and v.
template <class T, class S>
[[gnu::always_inline]] inline void mamba3_update(const S& s, T alpha, T beta, T gamma, T d, const T* key,
                                                 const T* value, const T* query, T* ssm, T* key_before, T* value_before,
                                                 T* o) {
  using namespace mamba3;
  const std::size_t vecs = s.state / kLanes<T>;
  for (std::size_t first = 0; first < s.value; first += kLanes<T>) {
    Vec<T> sums[kLanes<T>];
#pragma GCC unroll 1
    for (std::size_t r = 0; r < kLanes<T>; ++r) {
      const std::size_t p = first + r;
      const Vec<T> old = broadcast<T>(beta * value_before[p]), fresh = broadcast<T>(gamma * value[p]);
      Vec<T> even{}, odd{};
      T* const row = ssm + p * s.state;
      const auto step = [&](std::size_t v, Vec<T>& sum) {
        const std::size_t n = v * kLanes<T>;
        const Vec<T> written = multiply_add<T>(old, load<T>(key_before + n), fresh * load<T>(key + n));
        const Vec<T> updated = multiply_add<T>(broadcast<T>(alpha), load<T>(row + n), written);
        store<T>(row + n, updated);
        sum = multiply_add<T>(updated, load<T>(query + n), sum);
      };
#pragma GCC unroll 10
      for (std::size_t v = 0; v + 1 < vecs; v += 2) {
        step(v, even);
        step(v + 1, odd);
      }
      if (vecs % 2 == 1) step(vecs - 1, even);
      sums[r] = even + odd;
    }
    transpose_square<T>(sums);
    Vec<T> total = sums[0];
#pragma GCC unroll 16
    for (int r = 1; r < kLanes<T>; ++r) total += sums[r];
    store<T>(o + first, multiply_add<T>(broadcast<T>(d), load<T>(value + first), total));
  }
  for (std::size_t n = 0; n < s.state; n += kLanes<T>) store<T>(key_before + n, load<T>(key + n));
  for (std::size_t p = 0; p < s.value; p += kLanes<T>) store<T>(value_before + p, load<T>(value + p));
}

/// One token: from its projection to the gated output [H, P].
template <class T, class S>
[[gnu::always_inline]] inline void mamba3_token(const S& s, const T* folded, GateFloor<T> floor, const T* projected,
                                                T* state, const mamba3::StreamWork<T*>& work, T* gated) {
  using namespace mamba3;
  constexpr T kPi = T(3.141592653589793238);
  const std::size_t gates = padded(3 * s.heads), rates = padded(s.angles);
  for (std::size_t i = 0; i < gates; ++i) {
    const T bias = i < s.heads ? folded[s.folded.dt_bias + i] : T(0);
    work.gate[i] = i < 3 * s.heads ? projected[s.row.dt + i] + bias : T(0);
  }
  for (std::size_t i = 0; i < rates; ++i) work.rate[i] = i < s.angles ? projected[s.row.angle + i] : T(0);
  for (std::size_t i = 0; i < gates; i += kLanes<T>) {
    store<T>(work.softplus + i, softplus<T>(load<T>(work.gate + i)));
    store<T>(work.sigmoid + i, sigmoid<T>(load<T>(work.gate + i)));
  }
  for (std::size_t i = 0; i < rates; i += kLanes<T>) {
    store<T>(work.rate + i, hyperbolic_tangent<T>(load<T>(work.rate + i)));
  }
  for (std::size_t h = 0; h < s.heads; ++h) {
    if (work.softplus[h] < floor.write) work.softplus[h] = 0;
  }
  T* const angle = state + s.stream.angle;
  for (std::size_t h = 0; h < s.heads; ++h) {
    for (std::size_t j = 0; j < s.angles; ++j) angle[h * s.angles + j] += kPi * work.rate[j] * work.softplus[h];
  }
  const auto turn = [&](T* phi, std::size_t i) {
    const Vec<T> reduced = reduce_angle<T>(load<T>(phi));
    const SinCos<T> circle = sincos<T>(reduced);
    store<T>(phi, reduced);
    store<T>(work.cos + i, circle.cos);
    store<T>(work.sin + i, circle.sin);
  };
  const std::size_t turns = s.heads * s.angles, whole = turns / kLanes<T> * kLanes<T>;
  for (std::size_t i = 0; i < whole; i += kLanes<T>) turn(angle + i, i);
  if (whole < turns) {  // behind the state's last angle lies something else
    T last[kLanes<T>] = {};
    for (std::size_t i = whole; i < turns; ++i) last[i - whole] = angle[i];
    turn(last, whole);
    for (std::size_t i = whole; i < turns; ++i) angle[i] = last[i - whole];
  }
  for (std::size_t i = 0; i < s.heads; ++i) {  // e^(A Dt) in the place of the gates
    const T rate = work.softplus[s.heads + i];
    const T spent = (rate > T(kDecayFloor) ? rate : T(kDecayFloor)) * work.softplus[i];
    work.gate[i] = spent < floor.decay ? T(0) : -spent;
  }
  for (std::size_t i = 0; i < gates; i += kLanes<T>) {
    store<T>(work.gate + i, exponential<T>(load<T>(work.gate + i)));
  }
  for (std::size_t h = 0; h < s.heads; ++h) {
    const std::size_t g = h / s.heads_of_group;
    const T dt = work.softplus[h], lambda = work.sigmoid[2 * s.heads + h], alpha = work.gate[h];
    const T* const cos = work.cos + h * s.angles;
    const T* const sin = work.sin + h * s.angles;
    mamba3_rotated<T>(s, projected + s.row.b + g * s.state, folded + s.folded.b_norm,
                      folded + s.folded.b_bias + h * s.state, cos, sin, work.normed, work.key);
    mamba3_rotated<T>(s, projected + s.row.c + g * s.state, folded + s.folded.c_norm,
                      folded + s.folded.c_bias + h * s.state, cos, sin, work.normed, work.query);
    mamba3_update<T>(s, alpha, (T(1) - lambda) * dt * alpha, lambda * dt, folded[s.folded.d + h], work.key,
                     projected + s.row.x + h * s.value, work.query, state + s.stream.ssm + h * s.value * s.state,
                     state + s.stream.k + h * s.state, state + s.stream.v + h * s.value, work.o);
    for (std::size_t p = 0; p < s.value; p += kLanes<T>) {
      const Vec<T> z = load<T>(projected + s.row.z + h * s.value + p);
      store<T>(gated + h * s.value + p, load<T>(work.o + p) * z * sigmoid<T>(z));
    }
  }
}

template <class T, class S>
void mamba3_advance(const mamba3::Advance<T>& call) {
  using namespace mamba3;
  const S s(*call.sizes);
  const StreamWork<T*> work = stream_work(s, call.work);
  for (std::size_t first = 0; first < call.tokens; first += kChunk) {
    const std::size_t tokens = call.tokens - first < kChunk ? call.tokens - first : kChunk;
    multiply<T>({call.u + first * call.u_row, call.u_row, 1}, {call.folded + s.folded.in_t, s.padded_rows},
                work.projected, s.padded_rows, tokens, s.padded_rows, s.width);
    for (std::size_t t = 0; t < tokens; ++t) {
      mamba3_token<T>(s, call.folded, call.floor, work.projected + t * s.padded_rows, call.state, work,
                      work.gated + t * s.inner);
    }
    multiply_onto<T>({work.gated, s.inner, 1}, {call.folded + s.folded.out_t, s.width}, call.y + first * call.y_row,
                     call.y_row, tokens, s.width, s.inner);
  }
}

}  // namespace schemamem::SCHEMAMEM_ISA
