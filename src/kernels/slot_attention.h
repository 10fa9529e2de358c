#pragma once

#include "kernels/rows.h"
#include "kernels/vector_math.h"

namespace schemamem::SCHEMAMEM_ISA {

/// Attention of tokens over the slots of a bank, paper Eqs. (read) and (write):
///
///   P = softmax_M(score),   out = addend + P V
///
/// Scores arrive as base-2 logarithms (log2 e / sqrt d is folded into the query weights), so that P is a plain power of
/// two. What is kept is the unnormalised power and 1 / (sum of the row): normalisation is applied on the D-wide side.
/// When |query| |key| bounds every score by kBoundedScore the power is taken at once; other rows first subtract their
/// maximum. The choice is made row by row, so it does not depend on the rows computed beside it.
template <class T>
inline constexpr T kBoundedScore = 100;

/// Sizes: slots is the true number, padded_slots and padded_width are whole vectors; each may be Fixed.
template <class Slots, class PaddedSlots, class PaddedWidth>
struct SlotSizes {
  Slots slots;
  PaddedSlots padded_slots;
  PaddedWidth padded_width;
};

template <class T>
struct SlotForward {
  const T* query;   // [rows, D]
  const T* keys_t;  // [D, M]: transposed keys
  T key_norm;       // the largest |key|
  const T* values;  // [M, value_row]
  std::size_t value_row;
  const T* addend;       // [rows, D]
  T* powers;             // [rows, M], out: unnormalised P
  T* inverse;            // [rows], out: 1 / row sum
  T* out;                // [rows, D]
  T* scratch;            // [rows, lanes]
  bool nowhere = false;  // beside the slots there is a place without a value whose score is zero
};

template <class T>
[[gnu::always_inline]] inline Vec<T> in_first_lane(T value) {
  return keep<T>(first_lanes<T>(1), broadcast<T>(value));
}

template <class T, class Sizes>
[[gnu::always_inline]] inline Vec<T> without_padding(const Sizes& sizes, std::size_t column, Vec<T> value) {
  if (sizes.slots == sizes.padded_slots || column + kLanes<T> <= sizes.slots) return value;
  return keep<T>(first_lanes<T>(static_cast<std::ptrdiff_t>(sizes.slots - column)), value);
}

/// P = 2^score for rows whose scores are known to be bounded.
template <class T, class Sizes>
[[gnu::always_inline]] inline void bounded_powers(const Sizes& sizes, std::size_t rows, const SlotForward<T>& a) {
  const Vec<T> nowhere = in_first_lane<T>(a.nowhere ? T(1) : T(0));
  product<T>({a.query, sizes.padded_width, 1}, {a.keys_t, sizes.padded_slots}, rows, sizes.padded_slots,
             sizes.padded_width, [&](auto& tile, std::size_t row, std::size_t column) {
               using Block = std::remove_reference_t<decltype(tile)>;
#pragma GCC unroll 16
               for (int i = 0; i < Block::kRows; ++i) {
                 Vec<T> sum = column == 0 ? nowhere : load<T>(a.scratch + (row + i) * kLanes<T>);
#pragma GCC unroll 8
                 for (int v = 0; v < Block::kVecs; ++v) {
                   const Vec<T> power =
                       without_padding<T>(sizes, column + v * kLanes<T>, exp2_bounded<T>(tile.sum[i][v]));
                   store<T>(a.powers + (row + i) * sizes.padded_slots + column + v * kLanes<T>, power);
                   sum += power;
                 }
                 store<T>(a.scratch + (row + i) * kLanes<T>, sum);
               }
             });
}

/// The same for any scores. A bounded row is shifted by nothing and gets the same bits as above.
template <class T, class Sizes>
[[gnu::noinline]] void shifted_powers(const Sizes& sizes, std::size_t rows, const SlotForward<T>& a, T bound) {
  multiply<T>({a.query, sizes.padded_width, 1}, {a.keys_t, sizes.padded_slots}, a.powers, sizes.padded_slots, rows,
              sizes.padded_slots, sizes.padded_width);
  for (std::size_t t = 0; t < rows; ++t) {
    T* const row = a.powers + t * sizes.padded_slots;
    T shift = 0;
    if (!(a.inverse[t] <= bound)) {
      shift = a.nowhere ? T(0) : row[0];
      for (std::size_t m = 0; m < sizes.slots; ++m) shift = row[m] > shift ? row[m] : shift;
    }
    Vec<T> sum{};
    if (a.nowhere) sum = keep<T>(first_lanes<T>(1), exp2_clamped<T>(broadcast<T>(-shift)));
    for (std::size_t m = 0; m < sizes.padded_slots; m += kLanes<T>) {
      const Vec<T> power = without_padding<T>(sizes, m, exp2_clamped<T>(load<T>(row + m) - shift));
      store<T>(row + m, power);
      sum += power;
    }
    store<T>(a.scratch + t * kLanes<T>, sum);
  }
}

template <class T, class Sizes>
[[gnu::noinline]] void slot_attention_forward(const Sizes& sizes, std::size_t rows, const SlotForward<T>& a) {
  const auto width = sizes.padded_width;
  // `inverse` first holds |query|^2, to be compared with the bound.
  row_sums<T>(
      rows, a.inverse, [&](std::size_t t) { return dot_lanes<T>(a.query + t * width, a.query + t * width, width); },
      [](Vec<T> squares, std::size_t) { return squares; });
  const T bound = kBoundedScore<T> * kBoundedScore<T> / (a.key_norm * a.key_norm);
  bool bounded = true;
  for (std::size_t t = 0; t < rows; ++t) bounded = bounded && a.inverse[t] <= bound;
  if (bounded) {
    bounded_powers<T>(sizes, rows, a);
  } else {
    shifted_powers<T>(sizes, rows, a, bound);
  }
  row_sums<T>(
      rows, a.inverse, [&](std::size_t t) { return load<T>(a.scratch + t * kLanes<T>); },
      [](Vec<T> sum, std::size_t) { return T(1) / sum; });
  product<T>({a.powers, sizes.padded_slots, 1}, {a.values, a.value_row}, rows, width, sizes.padded_slots,
             [&](auto& tile, std::size_t row, std::size_t column) {
               using Block = std::remove_reference_t<decltype(tile)>;
#pragma GCC unroll 16
               for (int i = 0; i < Block::kRows; ++i) {
                 const Vec<T> scale = broadcast<T>(a.inverse[row + i]);
#pragma GCC unroll 8
                 for (int v = 0; v < Block::kVecs; ++v) {
                   const std::size_t at = (row + i) * width + column + v * kLanes<T>;
                   store<T>(a.out + at, multiply_add<T>(tile.sum[i][v], scale, load<T>(a.addend + at)));
                 }
               }
             });
}

/// One term of a product that is summed from several: left [rows, depth] times right [depth, M].
template <class T>
struct SlotTerm {
  const T* left;
  std::size_t left_row;
  const T* right;
};

/// Turns the powers P into the gradient of the (natural-logarithm) scores, in place:
///   d_score = P (first + second - offset) + more,   offset [rows], more [rows, M]
/// where 1 / row sum is already a factor of `left` and `offset`. `second.left` and `more` may be null.
template <class T, class Sizes>
[[gnu::always_inline]] inline void slot_score_gradient(const Sizes& sizes, std::size_t rows, SlotTerm<T> first,
                                                       SlotTerm<T> second, const T* offset, T* powers,
                                                       const T* more = nullptr) {
  for_tiles<kTileRows, kTileVecs>(rows, vectors_in<T>(sizes.padded_slots),
                                  [&](auto height, auto vecs, std::size_t row, std::size_t v0) {
                                    Tile<T, height.value, vecs.value> tile;
                                    const std::size_t column = v0 * kLanes<T>;
                                    tile.zero();
                                    tile.accumulate({first.left + row * first.left_row, first.left_row, 1},
                                                    {first.right + column, sizes.padded_slots}, sizes.padded_width);
                                    if (second.left != nullptr) {
                                      tile.accumulate({second.left + row * second.left_row, second.left_row, 1},
                                                      {second.right + column, sizes.padded_slots}, sizes.padded_width);
                                    }
#pragma GCC unroll 16
                                    for (int i = 0; i < height.value; ++i) {
                                      const Vec<T> pull = broadcast<T>(offset[row + i]);
#pragma GCC unroll 8
                                      for (int v = 0; v < vecs.value; ++v) {
                                        const std::size_t at = (row + i) * sizes.padded_slots + column + v * kLanes<T>;
                                        const Vec<T> d_score = load<T>(powers + at) * (tile.sum[i][v] - pull);
                                        store<T>(powers + at, more == nullptr ? d_score : d_score + load<T>(more + at));
                                      }
                                    }
                                  });
}

}  // namespace schemamem::SCHEMAMEM_ISA
