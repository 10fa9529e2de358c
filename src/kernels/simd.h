#pragma once

// The vector type, and the only file with `#if` on the instruction set. A source named *.isa.cpp is compiled once per
// instruction set, with SCHEMAMEM_ISA naming its namespace. Functions here are forced inline: a copy left to the linker
// could be taken from the wrong instruction set (tests/rules looks for such copies).

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#if defined(__FMA__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#include "kernels/isa.h"

namespace schemamem::SCHEMAMEM_ISA {

#if defined(SCHEMAMEM_ONE_LANE)  // the arithmetic of every kernel without SIMD: preset `scalar`
inline constexpr Isa kThisIsa = Isa::kScalar;
template <class T>
inline constexpr std::size_t kVectorBytes = sizeof(T);
#elif defined(__AVX512F__)
inline constexpr Isa kThisIsa = Isa::kAvx512;
template <class T>
inline constexpr std::size_t kVectorBytes = 64;
#elif defined(__AVX2__)
inline constexpr Isa kThisIsa = Isa::kAvx2;
template <class T>
inline constexpr std::size_t kVectorBytes = 32;
#elif defined(__ARM_NEON)
inline constexpr Isa kThisIsa = Isa::kNeon;
template <class T>
inline constexpr std::size_t kVectorBytes = 16;
#else
inline constexpr Isa kThisIsa = Isa::kBaseline;
template <class T>
inline constexpr std::size_t kVectorBytes = 16;
#endif

/// Registers that a tile may fill with accumulators; the rest hold operands.
#if defined(__AVX512F__) || defined(__ARM_NEON)
inline constexpr int kVectorRegisters = 32;
#else
inline constexpr int kVectorRegisters = 16;
#endif

template <class T>
using IntegerOf = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

template <class T>
struct VectorTypes {
  typedef T Vector __attribute__((vector_size(kVectorBytes<T>)));
  typedef T Anywhere __attribute__((vector_size(kVectorBytes<T>), aligned(alignof(T)), may_alias));
  typedef IntegerOf<T> Integers __attribute__((vector_size(kVectorBytes<T>)));
};

/// A vector register of T. Arithmetic and comparisons are the compiler's own vector operators; a comparison gives
/// Integers with all bits set where it holds, and `mask ? a : b` selects.
template <class T>
using Vec = typename VectorTypes<T>::Vector;
template <class T>
using VecInt = typename VectorTypes<T>::Integers;

template <class T>
inline constexpr int kLanes = static_cast<int>(kVectorBytes<T> / sizeof(T));

template <class T>
[[gnu::always_inline]] constexpr std::size_t round_up_to_lanes(std::size_t n) {
  return (n + kLanes<T> - 1) / kLanes<T> * kLanes<T>;
}

template <class T>
[[gnu::always_inline]] inline Vec<T> load(const T* from) {
  return *reinterpret_cast<const typename VectorTypes<T>::Anywhere*>(from);
}
template <class T>
[[gnu::always_inline]] inline void store(T* to, Vec<T> value) {
  *reinterpret_cast<typename VectorTypes<T>::Anywhere*>(to) = value;
}
template <class T>
[[gnu::always_inline]] inline Vec<T> broadcast(T value) {
  return value - Vec<T>{};  // GCC and Clang both turn this into one broadcast
}

/// Asks for memory that is needed soon, a cache line at a time: hardware does not follow a tape that is read in
/// reverse. Changes no result.
template <class T>
[[gnu::always_inline]] inline void prefetch(const T* from, std::size_t count) {
  const char* const end = reinterpret_cast<const char*>(from + count);
  for (const char* line = reinterpret_cast<const char*>(from); line < end; line += 64) __builtin_prefetch(line, 0, 2);
}

/// a b + c: one rounding where the instruction set has a fused multiply-add, two otherwise, never a mixture.
template <class T>
[[gnu::always_inline]] inline Vec<T> multiply_add(Vec<T> a, Vec<T> b, Vec<T> c) {
#if defined(SCHEMAMEM_ONE_LANE)
  return a * b + c;
#elif defined(__AVX512F__)
  if constexpr (sizeof(T) == 4) {
    return _mm512_fmadd_ps(a, b, c);
  } else {
    return _mm512_fmadd_pd(a, b, c);
  }
#elif defined(__FMA__)
  if constexpr (sizeof(T) == 4) {
    return _mm256_fmadd_ps(a, b, c);
  } else {
    return _mm256_fmadd_pd(a, b, c);
  }
#elif defined(__ARM_NEON)
  if constexpr (sizeof(T) == 4) {
    return vfmaq_f32(c, a, b);
  } else {
    return vfmaq_f64(c, a, b);
  }
#else
  return a * b + c;
#endif
}

template <class T>
[[gnu::always_inline]] inline Vec<T> max(Vec<T> a, Vec<T> b) {
  return a > b ? a : b;
}
template <class T>
[[gnu::always_inline]] inline Vec<T> min(Vec<T> a, Vec<T> b) {
  return a < b ? a : b;
}
template <class T>
[[gnu::always_inline]] inline Vec<T> square_root(Vec<T> a) {
#if defined(__AVX512F__) && !defined(SCHEMAMEM_ONE_LANE)
  if constexpr (sizeof(T) == 4) {
    return _mm512_mask_sqrt_ps(a, static_cast<__mmask16>(-1), a);  // unmasked, GCC 12 warns of its own header
  } else {
    return _mm512_mask_sqrt_pd(a, static_cast<__mmask8>(-1), a);
  }
#else
  Vec<T> root{};
#pragma GCC unroll 16
  for (int i = 0; i < kLanes<T>; ++i)
    root[i] = sizeof(T) == 4 ? static_cast<T>(__builtin_sqrtf(static_cast<float>(a[i])))
                             : static_cast<T>(__builtin_sqrt(a[i]));
  return root;
#endif
}
template <class T>
[[gnu::always_inline]] inline Vec<T> absolute(Vec<T> a) {
  constexpr IntegerOf<T> kAllButSign = std::numeric_limits<IntegerOf<T>>::max();
  return reinterpret_cast<Vec<T>>(reinterpret_cast<VecInt<T>>(a) & kAllButSign);
}

/// a0 b0 a1 b1 ... of the lower (First = 0) or the upper halves (First = lanes / 2).
template <class T, std::size_t First, std::size_t... I>
[[gnu::always_inline]] inline Vec<T> interleave(Vec<T> a, Vec<T> b, std::index_sequence<I...>) {
  return __builtin_shufflevector(a, b, static_cast<int>(First + I / 2 + (I % 2) * sizeof...(I))...);
}
template <class T>
[[gnu::always_inline]] inline Vec<T> interleave_low(Vec<T> a, Vec<T> b) {
  return interleave<T, 0>(a, b, std::make_index_sequence<kLanes<T>>{});
}
template <class T>
[[gnu::always_inline]] inline Vec<T> interleave_high(Vec<T> a, Vec<T> b) {
  return interleave<T, kLanes<T> / 2>(a, b, std::make_index_sequence<kLanes<T>>{});
}

/// Lane i of the result is the sum of the lanes of m[i]. Every sum is the same tree (upper half onto lower half),
/// whatever the other vectors hold.
template <class T>
[[gnu::always_inline]] inline Vec<T> sums_of_lanes(Vec<T> (&m)[kLanes<T>]) {
#pragma GCC unroll 4
  for (int half = kLanes<T> / 2; half > 0; half /= 2) {
#pragma GCC unroll 8
    for (int i = 0; i < half; ++i) m[i] = interleave_low<T>(m[i], m[i + half]) + interleave_high<T>(m[i], m[i + half]);
  }
  return m[0];
}
/// The sum of the lanes, by the same tree.
template <class T>
[[gnu::always_inline]] inline T horizontal_sum(Vec<T> value) {
  T lanes[kLanes<T>];
  store<T>(lanes, value);
#pragma GCC unroll 4
  for (int half = kLanes<T> / 2; half > 0; half /= 2) {
#pragma GCC unroll 8
    for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  return lanes[0];
}

/// True if any bit of any lane of a comparison's result is set.
template <class T>
[[gnu::always_inline]] inline bool any_lane(VecInt<T> mask) {
#if defined(SCHEMAMEM_ONE_LANE)
  return mask[0] != 0;
#elif defined(__AVX512F__)
  return _mm512_test_epi64_mask(reinterpret_cast<__m512i>(mask), reinterpret_cast<__m512i>(mask)) != 0;
#elif defined(__AVX2__)
  return _mm256_testz_si256(reinterpret_cast<__m256i>(mask), reinterpret_cast<__m256i>(mask)) == 0;
#else
  IntegerOf<T> set = 0;
  for (int i = 0; i < kLanes<T>; ++i) set |= mask[i];
  return set != 0;
#endif
}
template <class T>
[[gnu::always_inline]] inline T horizontal_max(Vec<T> value) {
  T result = value[0];
#pragma GCC unroll 16
  for (int i = 1; i < kLanes<T>; ++i) result = value[i] > result ? value[i] : result;
  return result;
}

/// Lane numbers 0, 1, 2, ...
template <class T>
[[gnu::always_inline]] inline VecInt<T> lane_numbers() {
  VecInt<T> numbers{};
#pragma GCC unroll 16
  for (int i = 0; i < kLanes<T>; ++i) numbers[i] = i;
  return numbers;
}
/// All bits set in the first `count` lanes.
template <class T>
[[gnu::always_inline]] inline VecInt<T> first_lanes(std::ptrdiff_t count) {
  return lane_numbers<T>() < static_cast<IntegerOf<T>>(count > kLanes<T> ? kLanes<T> : count);
}
template <class T>
[[gnu::always_inline]] inline Vec<T> keep(VecInt<T> mask, Vec<T> value) {
  return reinterpret_cast<Vec<T>>(reinterpret_cast<VecInt<T>>(value) & mask);
}

}  // namespace schemamem::SCHEMAMEM_ISA
