#pragma once

#include "kernels/product.h"
#include "kernels/vector_math.h"

namespace schemamem::SCHEMAMEM_ISA {

/// phi(Theta) = [cos Theta | sin Theta] with Theta = schema + state; each half `width` wide (whole vectors).
/// `state` may be null: the static bank.
template <class T, class Width>
[[gnu::always_inline]] inline void phasor_features(const T* schema, const T* state, T* features, std::size_t slots,
                                                   Width width) {
  for (std::size_t m = 0; m < slots; ++m) {
    for (std::size_t j = 0; j < width; j += kLanes<T>) {
      Vec<T> phase = load<T>(schema + m * width + j);
      if (state != nullptr) phase += load<T>(state + m * width + j);
      const SinCos<T> parts = sincos<T>(phase);
      store<T>(features + m * 2 * width + j, parts.cos);
      store<T>(features + m * 2 * width + width + j, parts.sin);
    }
  }
}

/// d_Theta = -sin Theta d_cos + cos Theta d_sin, added to `d_schema` and, if given, to `d_state`.
template <class T, class Width>
[[gnu::always_inline]] inline void phasor_backward(const T* features, const T* d_features, T* d_schema, T* d_state,
                                                   std::size_t slots, Width width) {
  for (std::size_t m = 0; m < slots; ++m) {
    for (std::size_t j = 0; j < width; j += kLanes<T>) {
      const std::size_t cos_at = m * 2 * width + j;
      const std::size_t sin_at = cos_at + width;
      const Vec<T> d_phase = multiply_add<T>(load<T>(features + cos_at), load<T>(d_features + sin_at),
                                             -(load<T>(features + sin_at) * load<T>(d_features + cos_at)));
      const std::size_t at = m * width + j;
      store<T>(d_schema + at, load<T>(d_schema + at) + d_phase);
      if (d_state != nullptr) store<T>(d_state + at, load<T>(d_state + at) + d_phase);
    }
  }
}

/// kLanes<double> numbers of T as doubles, and back.
template <class T>
struct NarrowTypes {
  typedef T Narrow __attribute__((vector_size(kLanes<double> * sizeof(T)), aligned(alignof(T)), may_alias));
};
template <class T>
[[gnu::always_inline]] inline Vec<double> load_as_double(const T* from) {
  return __builtin_convertvector(*reinterpret_cast<const typename NarrowTypes<T>::Narrow*>(from), Vec<double>);
}
template <class T>
[[gnu::always_inline]] inline void store_rounded(T* to, Vec<double> value) {
  using Narrow = typename NarrowTypes<T>::Narrow;
  *reinterpret_cast<Narrow*>(to) = __builtin_convertvector(value, Narrow);
}

/// Numbers of a smaller size than `floor` become zero. `count` is a multiple of the lanes.
template <class T>
[[gnu::always_inline]] inline void drop_below(T floor, T* numbers, std::size_t count) {
  for (std::size_t i = 0; i < count; i += kLanes<T>) {
    const Vec<T> x = load<T>(numbers + i);
    store<T>(numbers + i, max<T>(x, -x) < floor ? Vec<T>{} : x);
  }
}
/// Numbers become zero where those of `mask` are.
template <class T>
[[gnu::always_inline]] inline void keep_where(const T* mask, T* numbers, std::size_t count) {
  for (std::size_t i = 0; i < count; i += kLanes<T>)
    store<T>(numbers + i, keep<T>(load<T>(mask + i) != T(0), load<T>(numbers + i)));
}

/// S <- (S + dS) mod 2 pi. Sum and reduction are done in double, by subtracting the nearest whole number of turns;
/// rounding to float can give exactly float(2 pi). `count` is a multiple of the lanes.
template <class T>
[[gnu::always_inline]] inline void commit_phases(T* state, const T* increment, std::size_t count) {
  constexpr double kTurn = 6.283185307179586476925;
  constexpr double kRound = MathConstants<double>::kRound;
  for (std::size_t i = 0; i < count; i += kLanes<double>) {
    const Vec<double> sum = load_as_double<T>(state + i) + load_as_double<T>(increment + i);
    const Vec<double> turns = (sum * (1 / kTurn) + kRound) - kRound;
    const Vec<double> centred = sum - turns * kTurn;  // in [-pi, pi]
    store_rounded<T>(state + i, centred < 0 ? centred + kTurn : centred);
  }
}

/// The same onto a circle of `phases` places: S <- the place nearest to S + dS. The last place lies below 2 pi, so that
/// equal places are equal numbers.
template <class T>
[[gnu::always_inline]] inline void commit_places(T* state, const T* increment, std::size_t count, double phases) {
  constexpr double kTurn = 6.283185307179586476925;
  constexpr double kRound = MathConstants<double>::kRound;
  const double to_place = phases / kTurn, to_phase = kTurn / phases;
  for (std::size_t i = 0; i < count; i += kLanes<double>) {
    const Vec<double> sum = load_as_double<T>(state + i) + load_as_double<T>(increment + i);
    const Vec<double> place = (sum * to_place + kRound) - kRound;
    const Vec<double> turns = (place * (1 / phases) + kRound) - kRound;
    const Vec<double> centred = place - turns * phases;  // a whole number, in [-phases / 2, phases / 2]
    store_rounded<T>(state + i, (centred < 0 ? centred + phases : centred) * to_phase);
  }
}

}  // namespace schemamem::SCHEMAMEM_ISA
