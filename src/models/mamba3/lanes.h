#pragma once

// Small tools of the Mamba-3 kernels on rows of kChunk tokens.

#include "kernels/product.h"
#include "kernels/vector_math.h"
#include "models/mamba3/sizes.h"

namespace schemamem::SCHEMAMEM_ISA {

/// Rows of a block. One vector wide, a block needs more of them to hide the latency of its additions behind loads.
template <class T, class Columns>
[[gnu::always_inline]] constexpr int rows_beside() {
  if constexpr (!std::is_integral_v<Columns>) {
    if (Columns::value == kLanes<T> && kVectorRegisters == 32) return 16;
  }
  return kTileRows;
}

/// body(tile, row, column) for every block of a [rows x columns] product; the tile is zero. A size is a std::size_t or
/// a Fixed.
template <class T, class Rows, class Columns, class Body>
[[gnu::always_inline]] inline void for_blocks(Rows rows, Columns columns, const Body& body) {
  for_tiles<rows_beside<T, Columns>(), kTileVecs>(rows, vectors_in<T>(columns),
                                                  [&](auto height, auto width, std::size_t i, std::size_t v) {
                                                    Tile<T, height.value, width.value> tile;
                                                    tile.zero();
                                                    body(tile, i, v * kLanes<T>);
                                                  });
}

/// tile += A[row.., :] B[:, column..].
template <class T, class Tile, class Depth>
[[gnu::always_inline]] inline void accumulate(Tile& tile, Left<T> a, Right<T> b, std::size_t row, std::size_t column,
                                              Depth depth) {
  tile.accumulate({a.data + row * a.row, a.row, a.inner}, {b.data + column, b.inner}, depth);
}

/// Multiplies each row of the tile by the same vectors.
template <class T, class Tile>
[[gnu::always_inline]] inline void scale_columns(Tile& tile, const T* factors) {
#pragma GCC unroll 8
  for (int v = 0; v < Tile::kVecs; ++v) {
    const Vec<T> factor = load<T>(factors + v * kLanes<T>);
#pragma GCC unroll 16
    for (int i = 0; i < Tile::kRows; ++i) tile.sum[i][v] *= factor;
  }
}

template <class T, int Shift, std::size_t... I>
[[gnu::always_inline]] inline Vec<T> lanes_up(Vec<T> value, std::index_sequence<I...>) {
  return __builtin_shufflevector(value, Vec<T>{},
                                 (static_cast<int>(I) < Shift ? kLanes<T> : static_cast<int>(I) - Shift)...);
}
template <class T, int Shift, std::size_t... I>
[[gnu::always_inline]] inline Vec<T> lanes_down(Vec<T> value, std::index_sequence<I...>) {
  return __builtin_shufflevector(
      value, Vec<T>{}, (static_cast<int>(I) + Shift < kLanes<T> ? static_cast<int>(I) + Shift : kLanes<T>)...);
}
/// Lane i becomes the sum of lanes 0..i, or of i and those behind it.
template <class T, int Shift = 1>
[[gnu::always_inline]] inline Vec<T> sum_of_lanes_before(Vec<T> value) {
  if constexpr (Shift < kLanes<T>) {
    return sum_of_lanes_before<T, 2 * Shift>(value + lanes_up<T, Shift>(value, std::make_index_sequence<kLanes<T>>{}));
  } else {
    return value;
  }
}
template <class T, int Shift = 1>
[[gnu::always_inline]] inline Vec<T> sum_of_lanes_behind(Vec<T> value) {
  if constexpr (Shift < kLanes<T>) {
    return sum_of_lanes_behind<T, 2 * Shift>(value +
                                             lanes_down<T, Shift>(value, std::make_index_sequence<kLanes<T>>{}));
  } else {
    return value;
  }
}

/// Calls body(offset) for each vector of a row of tokens.
template <class T, class Body>
[[gnu::always_inline]] inline void for_row(const Body& body) {
#pragma GCC unroll 4
  for (std::size_t i = 0; i < mamba3::kChunk; i += kLanes<T>) body(i);
}

/// row_t += carry + row_0 + ... + row_{t-1}; the last entry is the next chunk's carry.
template <class T>
[[gnu::always_inline]] inline void prefix_sum(T* row, T carry) {
  for_row<T>([&](std::size_t i) {
    const Vec<T> sum = sum_of_lanes_before<T>(load<T>(row + i)) + carry;
    store<T>(row + i, sum);
    carry = sum[kLanes<T> - 1];
  });
}
/// row_t += row_{t+1} + ... + row_last + carry; the first entry is the previous chunk's carry.
template <class T>
[[gnu::always_inline]] inline void suffix_sum(T* row, T carry) {
  for (std::size_t i = mamba3::kChunk; i > 0;) {
    i -= kLanes<T>;
    const Vec<T> sum = sum_of_lanes_behind<T>(load<T>(row + i)) + carry;
    store<T>(row + i, sum);
    carry = sum[0];
  }
}

template <class T>
[[gnu::always_inline]] inline T square_root(T x) {
  if constexpr (sizeof(T) == 4) {
    return __builtin_sqrtf(x);
  } else {
    return __builtin_sqrt(x);
  }
}

/// x mod 2 pi, in [0, 2 pi).
template <class T>
[[gnu::always_inline]] inline Vec<T> reduce_angle(Vec<T> x) {
  using C = MathConstants<T>;
  constexpr T kTurn = T(6.283185307179586477);
  const Vec<T> turns = multiply_add<T>(x, broadcast<T>(C::kTwoOverPi / T(4)), broadcast<T>(C::kRound)) - C::kRound;
  Vec<T> r = multiply_add<T>(turns, broadcast<T>(T(-4) * C::kHalfPi[0]), x);
  r = multiply_add<T>(turns, broadcast<T>(T(-4) * C::kHalfPi[1]), r);
  r = multiply_add<T>(turns, broadcast<T>(T(-4) * C::kHalfPi[2]), r);
  r = r < T(0) ? r + kTurn : r;
  return r < kTurn ? r : (r >= kTurn ? Vec<T>{} : r);  // NaN stays NaN
}

/// e^x of one number, in the arithmetic of exponential().
template <class T>
[[gnu::always_inline]] inline T exponential_of(T x) {
  return exponential<T>(broadcast<T>(x))[0];
}

}  // namespace schemamem::SCHEMAMEM_ISA
