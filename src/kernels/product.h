#pragma once

#include "kernels/tile.h"

namespace schemamem::SCHEMAMEM_ISA {

/// A size known when the kernel is compiled. Wherever a kernel takes a size as a template parameter it accepts this or
/// a std::size_t; the former compiles only the blocks that occur, with constant strides.
template <std::size_t N>
using Fixed = std::integral_constant<std::size_t, N>;

/// How many vectors hold n elements; n is a multiple of the lanes.
template <class T, class Size>
[[gnu::always_inline]] constexpr auto vectors_in(Size n) {
  if constexpr (std::is_integral_v<Size>) {
    return n / kLanes<T>;
  } else {
    return Fixed<Size::value / kLanes<T>>{};
  }
}
template <std::size_t Factor, class Size>
[[gnu::always_inline]] constexpr auto times(Size n) {
  if constexpr (std::is_integral_v<Size>) {
    return Factor * n;
  } else {
    return Fixed<Factor * Size::value>{};
  }
}

/// Accumulators of a product: 8 x 3 vectors of 32 registers, 6 x 2 of 16; the rest hold a row of the right factor and
/// one broadcast of the left.
inline constexpr int kTileRows = kVectorRegisters == 32 ? 8 : 6;
inline constexpr int kTileVecs = kVectorRegisters == 32 ? 3 : 2;

/// Walks over C = A B, [rows x columns] with `depth` terms, and hands every finished block to finish(tile, row,
/// column). `columns` is a multiple of the lanes.
template <class T, class Rows, class Columns, class Depth, class Finish>
[[gnu::always_inline]] inline void product(Left<T> a, Right<T> b, Rows rows, Columns columns, Depth depth,
                                           const Finish& finish) {
  for_tiles<kTileRows, kTileVecs>(
      rows, vectors_in<T>(columns), [&](auto height, auto width, std::size_t i, std::size_t v) {
        Tile<T, height.value, width.value> tile;
        tile.zero();
        tile.accumulate({a.data + i * a.row, a.row, a.inner}, {b.data + v * kLanes<T>, b.inner}, depth);
        finish(tile, i, v * kLanes<T>);
      });
}

/// Sizes that are all known at run time only share one copy of the code; with a Fixed one it is compiled in place.
template <class... Sizes>
inline constexpr bool kRunTimeSizes = (std::is_integral_v<Sizes> && ...);

template <class T, class Rows, class Columns, class Depth>
[[gnu::always_inline]] inline void multiply_in_place(Left<T> a, Right<T> b, T* c, std::size_t c_row, Rows rows,
                                                     Columns columns, Depth depth) {
  product<T>(a, b, rows, columns, depth,
             [&](const auto& tile, std::size_t i, std::size_t j) { tile.store_to(c + i * c_row + j, c_row); });
}
template <class T, class Rows, class Columns, class Depth>
[[gnu::always_inline]] inline void multiply_onto_in_place(Left<T> a, Right<T> b, T* c, std::size_t c_row, Rows rows,
                                                          Columns columns, Depth depth) {
  for_tiles<kTileRows, kTileVecs>(
      rows, vectors_in<T>(columns), [&](auto height, auto width, std::size_t i, std::size_t v) {
        Tile<T, height.value, width.value> tile;
        T* const block = c + i * c_row + v * kLanes<T>;
        tile.load_from(block, c_row);
        tile.accumulate({a.data + i * a.row, a.row, a.inner}, {b.data + v * kLanes<T>, b.inner}, depth);
        tile.store_to(block, c_row);
      });
}
template <class T>
[[gnu::noinline]] void multiply_shared(Left<T> a, Right<T> b, T* c, std::size_t c_row, std::size_t rows,
                                       std::size_t columns, std::size_t depth) {
  multiply_in_place<T>(a, b, c, c_row, rows, columns, depth);
}
template <class T>
[[gnu::noinline]] void multiply_onto_shared(Left<T> a, Right<T> b, T* c, std::size_t c_row, std::size_t rows,
                                            std::size_t columns, std::size_t depth) {
  multiply_onto_in_place<T>(a, b, c, c_row, rows, columns, depth);
}

/// C = A B.
template <class T, class Rows, class Columns, class Depth>
[[gnu::always_inline]] inline void multiply(Left<T> a, Right<T> b, T* c, std::size_t c_row, Rows rows, Columns columns,
                                            Depth depth) {
  if constexpr (kRunTimeSizes<Rows, Columns, Depth>) {
    multiply_shared<T>(a, b, c, c_row, rows, columns, depth);
  } else {
    multiply_in_place<T>(a, b, c, c_row, rows, columns, depth);
  }
}

/// C += A B; the sum continues from C, term by term.
template <class T, class Rows, class Columns, class Depth>
[[gnu::always_inline]] inline void multiply_onto(Left<T> a, Right<T> b, T* c, std::size_t c_row, Rows rows,
                                                 Columns columns, Depth depth) {
  if constexpr (kRunTimeSizes<Rows, Columns, Depth>) {
    multiply_onto_shared<T>(a, b, c, c_row, rows, columns, depth);
  } else {
    multiply_onto_in_place<T>(a, b, c, c_row, rows, columns, depth);
  }
}

template <class T>
[[gnu::always_inline]] inline void transpose_square(Vec<T> (&m)[kLanes<T>]) {
#pragma GCC unroll 4
  for (int step = 1; step < kLanes<T>; step *= 2) {  // each pass rotates the bits of (row, lane) by one place
    Vec<T> next[kLanes<T>];
#pragma GCC unroll 8
    for (int i = 0; i < kLanes<T> / 2; ++i) {
      next[2 * i] = interleave_low<T>(m[i], m[i + kLanes<T> / 2]);
      next[2 * i + 1] = interleave_high<T>(m[i], m[i + kLanes<T> / 2]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kLanes<T>; ++i) m[i] = next[i];
  }
}
/// [rows x columns], both multiples of the lanes, to its transpose, a square of vectors at a time.
template <class T>
[[gnu::always_inline]] inline void transpose(const T* from, std::size_t from_row, std::size_t rows, std::size_t columns,
                                             T* to, std::size_t to_row) {
  for (std::size_t i = 0; i < rows; i += kLanes<T>) {
    for (std::size_t j = 0; j < columns; j += kLanes<T>) {
      Vec<T> square[kLanes<T>];
#pragma GCC unroll 16
      for (int k = 0; k < kLanes<T>; ++k) square[k] = load<T>(from + (i + k) * from_row + j);
      transpose_square<T>(square);
#pragma GCC unroll 16
      for (int k = 0; k < kLanes<T>; ++k) store<T>(to + (j + k) * to_row + i, square[k]);
    }
  }
}

}  // namespace schemamem::SCHEMAMEM_ISA
