#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>

#include "kernels/simd.h"

namespace schemamem::SCHEMAMEM_ISA {

/// The left factor of a product: element (i, k) is data[i * row + k * inner]. A matrix has inner = 1, a transposed one
/// has row = 1.
template <class T>
struct Left {
  const T* data;
  std::size_t row, inner;
};
/// The right factor: row k starts at data + k * inner, its columns are contiguous.
template <class T>
struct Right {
  const T* data;
  std::size_t inner;
};

/// A block of Rows x Vecs vectors of a product, kept in registers. Each element is summed over k in ascending order
/// with one multiply_add a term, whatever the block's shape: a row's bits do not depend on the rows computed beside it,
/// which is what makes a stream of single tokens equal to a whole chunk.
template <class T, int Rows, int Vecs>
struct Tile {
  static constexpr int kRows = Rows;
  static constexpr int kVecs = Vecs;
  Vec<T> sum[Rows][Vecs];

  [[gnu::always_inline]] void zero() {
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 8
      for (int v = 0; v < Vecs; ++v) sum[i][v] = Vec<T>{};
    }
  }
  [[gnu::always_inline]] void load_from(const T* c, std::size_t stride) {
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 8
      for (int v = 0; v < Vecs; ++v) sum[i][v] = load<T>(c + i * stride + v * kLanes<T>);
    }
  }
  [[gnu::always_inline]] void store_to(T* c, std::size_t stride) const {
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 8
      for (int v = 0; v < Vecs; ++v) store<T>(c + i * stride + v * kLanes<T>, sum[i][v]);
    }
  }

  /// sum += A[i0.., 0..depth) B[0..depth, j0..]; `a` and `b` point at the block's first row and column.
  [[gnu::always_inline]] void accumulate(Left<T> a, Right<T> b, std::size_t depth) {
    const T* ak = a.data;
    const T* bk = b.data;
    for (std::size_t k = 0; k < depth; ++k, ak += a.inner, bk += b.inner) {
      Vec<T> right[Vecs];
#pragma GCC unroll 8
      for (int v = 0; v < Vecs; ++v) right[v] = load<T>(bk + v * kLanes<T>);
#pragma GCC unroll 16
      for (int i = 0; i < Rows; ++i) {
        const Vec<T> left = broadcast<T>(ak[i * a.row]);
#pragma GCC unroll 8
        for (int v = 0; v < Vecs; ++v) sum[i][v] = multiply_add<T>(left, right[v], sum[i][v]);
      }
    }
  }
};

template <int N>
using Int = std::integral_constant<int, N>;

/// Walks over [rows x vecs] blocks: body(Int<R>, Int<V>, row, vec) with R <= MaxRows and V <= MaxVecs. Panels of
/// columns outside, rows inside, so that a panel of the right factor stays in the first-level cache. `rows` and `vecs`
/// may be std::integral_constant, in which case only the blocks that occur are compiled.
template <int MaxRows, class Rows, class RowBody>
[[gnu::always_inline]] inline void for_row_blocks(Rows rows, const RowBody& body) {
  const std::size_t count = rows;
  std::size_t i = 0;
  if constexpr (!std::is_integral_v<Rows>) {
    // A thin last block would wait for its few sums: with the one before it, it makes two of even height.
    constexpr int kCount = static_cast<int>(Rows::value);
    constexpr int kRest = kCount % MaxRows;
    constexpr bool kThin = kRest > 0 && 2 * kRest < MaxRows && kCount > MaxRows;
    constexpr std::size_t kWhole = kCount / MaxRows - (kThin ? 1 : 0);
    for (; i < kWhole * MaxRows; i += MaxRows) body(Int<MaxRows>{}, i);
    if constexpr (kThin) {
      constexpr int kUpper = (MaxRows + kRest + 1) / 2;
      body(Int<kUpper>{}, i);
      body(Int<MaxRows + kRest - kUpper>{}, i + kUpper);
    } else if constexpr (kRest > 0) {
      body(Int<kRest>{}, i);
    }
  } else {
    for (; i + MaxRows <= count; i += MaxRows) body(Int<MaxRows>{}, i);
    if constexpr (MaxRows > 8) {
      if (i + 8 <= count) {
        body(Int<8>{}, i);
        i += 8;
      }
    }
    if constexpr (MaxRows > 4) {
      if (i + 4 <= count) {
        body(Int<4>{}, i);
        i += 4;
      }
    }
    if constexpr (MaxRows > 2) {
      if (i + 2 <= count) {
        body(Int<2>{}, i);
        i += 2;
      }
    }
    if (i < count) body(Int<1>{}, i);
  }
}

template <int MaxRows, int MaxVecs, class Rows, class Vecs, class Body>
[[gnu::always_inline]] inline void for_tiles(Rows rows, Vecs vecs, const Body& body) {
  const std::size_t count = vecs;
  std::size_t v = 0;
  const auto panel = [&](auto width) {
    for_row_blocks<MaxRows>(rows, [&](auto height, std::size_t i) { body(height, width, i, v); });
    v += width;
  };
  if constexpr (!std::is_integral_v<Vecs>) {  // as few panels as possible, of even width: 4 vectors are 2 + 2, not 3 +
                                              // 1
    constexpr int kPanels = (static_cast<int>(Vecs::value) + MaxVecs - 1) / MaxVecs;
    constexpr int kWidth = (static_cast<int>(Vecs::value) + kPanels - 1) / kPanels;
    constexpr int kRest = static_cast<int>(Vecs::value) % kWidth;
    while (v + kWidth <= count) panel(Int<kWidth>{});
    if constexpr (kRest > 0) panel(Int<kRest>{});
  } else {
    while (v + MaxVecs <= count) panel(Int<MaxVecs>{});
    if constexpr (MaxVecs > 2) {
      if (v + 2 <= count) panel(Int<2>{});
    }
    if (v < count) panel(Int<1>{});
  }
}

}  // namespace schemamem::SCHEMAMEM_ISA
