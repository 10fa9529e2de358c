#pragma once

#include "kernels/rows.h"
#include "kernels/vector_math.h"

namespace schemamem::SCHEMAMEM_ISA {

/// Causal attention of several query heads over one shared key/value head inside a chunk.
///
/// A register holds the heads of a few neighbouring tokens: lane = token * heads + head. For every key each lane adds
/// one term to its own score, sum and output, keys in ascending order, so that a token's bits depend neither on the
/// tokens beside it nor on how many calls a chunk took. Rows of queries and outputs are stored feature-major: entry e *
/// heads + h (docs/decisions/0005), which makes rotation and packing contiguous.
template <class Heads, class HeadDim>
struct LocalSizes {
  Heads heads;
  HeadDim head_dim;
};

/// Room for the largest head when its size is not known at compile time.
inline constexpr std::size_t kLargestHeadDim = 128;
template <class HeadDim>
consteval std::size_t head_room() {
  if constexpr (std::is_integral_v<HeadDim>) {
    return kLargestHeadDim;
  } else {
    return HeadDim::value;
  }
}

/// Scores up to 100 in base 2 need no shift, see slot_attention.h; here compared as |query|^2 |key|^2.
template <class T>
inline constexpr T kBoundedSquare = 100 * 100;

/// How query rows are packed into registers.
struct LocalBlocks {
  std::size_t heads_together;  // heads in one register
  std::size_t groups;          // registers a token needs
  std::size_t tokens;          // tokens in one register
  template <class T>
  [[gnu::always_inline]] static LocalBlocks of(std::size_t heads) {
    const std::size_t together = heads < kLanes<T> ? heads : kLanes<T>;
    return {together, (heads + together - 1) / together, kLanes<T> / together};
  }
  [[gnu::always_inline]] std::size_t count(std::size_t rows) const { return (rows + tokens - 1) / tokens; }
  /// Where the probabilities of block b of a group start, in vectors: block b has tokens * (b + 1) keys at most.
  [[gnu::always_inline]] std::size_t start(std::size_t block) const { return tokens * (block * (block + 1) / 2); }
};

/// Vectors of probabilities that a chunk of `rows` tokens keeps, and vectors of packed queries.
template <class T>
[[gnu::always_inline]] inline std::size_t local_probability_size(std::size_t heads, std::size_t rows) {
  const LocalBlocks blocks = LocalBlocks::of<T>(heads);
  return blocks.groups * blocks.start(blocks.count(rows)) * kLanes<T>;
}
template <class T>
[[gnu::always_inline]] inline std::size_t local_packed_size(std::size_t heads, std::size_t head_dim, std::size_t rows) {
  const LocalBlocks blocks = LocalBlocks::of<T>(heads);
  return blocks.groups * blocks.count(rows) * head_dim * kLanes<T>;
}

/// Four numbers: the granularity of a rotation.
template <class T>
struct QuadTypes {
  typedef T Quad __attribute__((vector_size(4 * sizeof(T)), aligned(alignof(T)), may_alias));
};

/// Rotates feature pairs (i, i + half) of a row stored feature-major: low' = low c - high s, high' = high c + low s,
/// times `scale`. cosines and sines hold `pairs` = heads * half entries for the row's position; `direction` is 1 or -1
/// (the inverse).
template <class T>
[[gnu::always_inline]] inline void rotate_row(T* row, const T* cosines, const T* sines, std::size_t pairs, T direction,
                                              T scale) {
  using Quad = typename QuadTypes<T>::Quad;
  std::size_t j = 0;
  for (; j + kLanes<T> <= pairs; j += kLanes<T>) {
    const Vec<T> low = load<T>(row + j);
    const Vec<T> high = load<T>(row + pairs + j);
    const Vec<T> c = load<T>(cosines + j) * scale;
    const Vec<T> s = load<T>(sines + j) * (scale * direction);
    store<T>(row + j, low * c - high * s);
    store<T>(row + pairs + j, high * c + low * s);
  }
  for (; j + 4 <= pairs; j += 4) {
    const Quad low = *reinterpret_cast<const Quad*>(row + j);
    const Quad high = *reinterpret_cast<const Quad*>(row + pairs + j);
    const Quad c = *reinterpret_cast<const Quad*>(cosines + j) * scale;
    const Quad s = *reinterpret_cast<const Quad*>(sines + j) * (scale * direction);
    *reinterpret_cast<Quad*>(row + j) = low * c - high * s;
    *reinterpret_cast<Quad*>(row + pairs + j) = high * c + low * s;
  }
  for (; j < pairs; ++j) {
    const T low = row[j];
    const T high = row[pairs + j];
    const T c = cosines[j] * scale;
    const T s = sines[j] * (scale * direction);
    row[j] = low * c - high * s;
    row[pairs + j] = high * c + low * s;
  }
}

/// How many heads a register holds in a group, and where the group starts; a constant when all heads fit and are Fixed.
template <class T, class Heads>
[[gnu::always_inline]] constexpr auto heads_in_group(Heads heads, const LocalBlocks& blocks, std::size_t group) {
  if constexpr (std::is_integral_v<Heads>) {
    return std::min<std::size_t>(blocks.heads_together, heads - group * blocks.heads_together);
  } else if constexpr (Heads::value <= static_cast<std::size_t>(kLanes<T>)) {
    return heads;
  } else {
    return std::min<std::size_t>(blocks.heads_together, heads - group * blocks.heads_together);
  }
}

/// `count` rows of a group, feature-major, to head_dim registers; lanes without a row become zero.
template <class T, class Sizes>
[[gnu::always_inline]] inline void pack_rows(const Sizes& sizes, const LocalBlocks& blocks, std::size_t group,
                                             const T* rows, std::size_t row_stride, std::size_t count, T* packed) {
  const auto heads = heads_in_group<T>(sizes.heads, blocks, group);
  const T* const from = rows + group * blocks.heads_together;
  const bool full = count * heads == kLanes<T>;
  for (std::size_t e = 0; e < sizes.head_dim; ++e) {
    T* const to = packed + e * kLanes<T>;
    if (!full) store<T>(to, Vec<T>{});
    for (std::size_t t = 0; t < count; ++t) {
      for (std::size_t h = 0; h < heads; ++h) to[t * heads + h] = from[t * row_stride + e * sizes.heads + h];
    }
  }
}
template <class T, class Sizes>
[[gnu::always_inline]] inline void unpack_rows(const Sizes& sizes, const LocalBlocks& blocks, std::size_t group,
                                               const T* packed, T* rows, std::size_t row_stride, std::size_t count) {
  const auto heads = heads_in_group<T>(sizes.heads, blocks, group);
  T* const to = rows + group * blocks.heads_together;
  for (std::size_t e = 0; e < sizes.head_dim; ++e) {
    for (std::size_t t = 0; t < count; ++t) {
      for (std::size_t h = 0; h < heads; ++h)
        to[t * row_stride + e * sizes.heads + h] = packed[e * kLanes<T> + t * heads + h];
    }
  }
}

/// start + sum_e packed[e] row[e] in every lane. Even and odd features are summed apart: one chain of all of them would
/// make the processor wait.
template <class T, class HeadDim>
[[gnu::always_inline]] inline Vec<T> dot_with_row(const Vec<T>* packed, const T* row, HeadDim dim, Vec<T> start) {
  Vec<T> even = start;
  Vec<T> odd{};
  const std::size_t pairs = dim / 2;
#pragma GCC unroll 4
  for (std::size_t i = 0; i < pairs; ++i) {
    even = multiply_add<T>(packed[2 * i], broadcast<T>(row[2 * i]), even);
    odd = multiply_add<T>(packed[2 * i + 1], broadcast<T>(row[2 * i + 1]), odd);
  }
  if (dim % 2 != 0) even = multiply_add<T>(packed[dim - 1], broadcast<T>(row[dim - 1]), even);
  return even + odd;
}

template <class T>
struct LocalForward {
  const T* query;  // [rows, query_row], rotated and scaled: scores are base-2 logarithms
  std::size_t query_row;
  const T* keys;    // [offset + rows, key_row], rotated
  const T* values;  // [offset + rows, key_row]
  std::size_t key_row;
  std::size_t offset;  // tokens of the chunk before the first row
  T* out;              // [rows, out_row]
  std::size_t out_row;
  T* key_norms;      // [offset + rows]: running maximum of |key|^2; entries before `offset` are given
  T* probabilities;  // unnormalised; [offset + rows, lanes], or local_probability_size if they are kept
  // Kept for the backward pass unless null (then offset is 0):
  T* packed_query;    // local_packed_size
  T* packed_inverse;  // [groups, blocks, lanes]: 1 / sum
};

/// norms[j] = largest |key_i|^2 of i <= j, for j in [first, last); entries before `first` are given.
template <class T>
[[gnu::always_inline]] inline void running_key_norms(const T* keys, std::size_t key_row, std::size_t head_dim,
                                                     std::size_t first, std::size_t last, T* norms) {
  for (std::size_t j = first; j < last; ++j) {
    T squares = 0;
    for (std::size_t e = 0; e < head_dim; ++e) squares += keys[j * key_row + e] * keys[j * key_row + e];
    norms[j] = j > 0 && norms[j - 1] > squares ? norms[j - 1] : squares;
  }
}

template <class T, class Sizes>
[[gnu::always_inline]] inline void local_attention_forward(const Sizes& sizes, std::size_t rows,
                                                           const LocalForward<T>& a) {
  constexpr std::size_t kRoom = head_room<std::remove_const_t<decltype(sizes.head_dim)>>();
  const std::size_t dim = sizes.head_dim;
  const LocalBlocks blocks = LocalBlocks::of<T>(sizes.heads);
  const std::size_t block_count = blocks.count(rows);
  running_key_norms<T>(a.keys, a.key_row, dim, a.offset, a.offset + rows, a.key_norms);
  alignas(64) T packed[kRoom * kLanes<T>];
  for (std::size_t group = 0; group < blocks.groups; ++group) {
    for (std::size_t block = 0; block < block_count; ++block) {
      const std::size_t first = block * blocks.tokens;
      const std::size_t count = std::min(blocks.tokens, rows - first);
      const std::size_t at = group * block_count + block;
      T* const q = a.packed_query != nullptr ? a.packed_query + at * dim * kLanes<T> : packed;
      pack_rows<T>(sizes, blocks, group, a.query + first * a.query_row, a.query_row, count, q);
      const std::size_t kept_at =
          a.packed_query != nullptr ? group * blocks.start(block_count) + blocks.start(block) : 0;
      T* const kept = a.probabilities + kept_at * kLanes<T>;
      const std::size_t shared_keys = a.offset + first + 1;  // every lane sees these
      const std::size_t all_keys = a.offset + first + count;
      VecInt<T> lane_token = lane_numbers<T>() / static_cast<IntegerOf<T>>(blocks.heads_together);

      Vec<T> query[kRoom];  // in registers: a store below could change q, as far as the compiler knows
      Vec<T> squares{};
      for (std::size_t e = 0; e < dim; ++e) {
        query[e] = load<T>(q + e * kLanes<T>);
        squares = multiply_add<T>(query[e], query[e], squares);
      }
      // Norms only grow along a chunk, so the last one decides for all lanes at once in the usual case.
      VecInt<T> unbounded = ~(squares * a.key_norms[all_keys - 1] <= kBoundedSquare<T>);
      if (any_lane<T>(unbounded)) {
        Vec<T> key_norm{};
        for (int lane = 0; lane < kLanes<T>; ++lane) {
          const std::size_t token =
              std::min<std::size_t>(static_cast<std::size_t>(lane) / blocks.heads_together, count - 1);
          key_norm[lane] = a.key_norms[a.offset + first + token];
        }
        unbounded = ~(squares * key_norm <= kBoundedSquare<T>);
      }
      const auto score = [&](std::size_t j) {
        return dot_with_row<T>(query, a.keys + j * a.key_row, sizes.head_dim, Vec<T>{});
      };
      const bool any_unbounded = any_lane<T>(unbounded);
      Vec<T> shift{};
      if (any_unbounded) {
        Vec<T> largest = score(0);
        for (std::size_t j = 1; j < all_keys; ++j) {
          const VecInt<T> seen =
              lane_token >= static_cast<IntegerOf<T>>(j) - static_cast<IntegerOf<T>>(a.offset + first);
          const Vec<T> s = score(j);
          largest = seen ? max<T>(largest, s) : largest;
        }
        shift = keep<T>(unbounded, largest);
      }
      // First all powers, then all values: each loop's operands fit into sixteen registers.
      Vec<T> sum{};
      const auto keep_power = [&](std::size_t j, Vec<T> power) {
        store<T>(kept + j * kLanes<T>, power);
        sum += power;
      };
      if (any_unbounded) {
        for (std::size_t j = 0; j < shared_keys; ++j) keep_power(j, exp2_clamped<T>(score(j) - shift));
      } else {
        for (std::size_t j = 0; j < shared_keys; ++j) store<T>(kept + j * kLanes<T>, score(j));
        for (std::size_t j = 0; j < shared_keys; ++j) keep_power(j, exp2_bounded<T>(load<T>(kept + j * kLanes<T>)));
      }
      for (std::size_t j = shared_keys; j < all_keys; ++j) {
        const VecInt<T> seen = lane_token >= static_cast<IntegerOf<T>>(j - a.offset - first);
        keep_power(j, keep<T>(seen, exp2_clamped<T>(score(j) - shift)));
      }
      Vec<T> out[kRoom];
      for (std::size_t e = 0; e < dim; ++e) out[e] = Vec<T>{};
      for (std::size_t j = 0; j < all_keys; ++j) {
        const Vec<T> power = load<T>(kept + j * kLanes<T>);
        const T* const value = a.values + j * a.key_row;
#pragma GCC unroll 8
        for (std::size_t e = 0; e < dim; ++e) out[e] = multiply_add<T>(power, broadcast<T>(value[e]), out[e]);
      }
      const Vec<T> inverse = T(1) / sum;
      if (a.packed_inverse != nullptr) store<T>(a.packed_inverse + at * kLanes<T>, inverse);
      for (std::size_t e = 0; e < dim; ++e) store<T>(packed + e * kLanes<T>, out[e] * inverse);
      unpack_rows<T>(sizes, blocks, group, packed, a.out + first * a.out_row, a.out_row, count);
    }
  }
}

template <class T>
struct LocalBackward {
  const T* keys;
  const T* values;
  std::size_t key_row;
  const T* out;    // [rows, out_row], as the forward pass left it
  const T* d_out;  // [rows, d_out_row]
  std::size_t out_row, d_out_row;
  const T* packed_query;
  const T* probabilities;
  const T* packed_inverse;
  T* d_query;   // [rows, d_row], overwritten: gradient of the scaled query times ln 2 (natural scores)
  T* d_keys;    // [rows, d_row], overwritten
  T* d_values;  // [rows, d_row], overwritten
  std::size_t d_row;
  T* packed_d_out;  // scratch, local_packed_size
  T* d_scores;      // scratch, local_probability_size
};

/// to[key, e] = sum over all rows and heads of weight(row, head, key) vector(row, head, e): the lanes of all blocks
/// from the key's own on. A few keys and features at a time, so that their sums fill a register when lanes are added
/// up.
template <class T, class Sizes>
[[gnu::always_inline]] inline void sum_over_rows(const Sizes& sizes, std::size_t rows, const T* weights,
                                                 const T* vectors, T* to, std::size_t to_row) {
  constexpr std::size_t kLanesHere = kLanes<T>;
  constexpr std::size_t kFeatures = kLanesHere < 4 ? kLanesHere : 4;
  constexpr std::size_t kKeys = kLanesHere / kFeatures;
  const std::size_t dim = sizes.head_dim;
  const LocalBlocks blocks = LocalBlocks::of<T>(sizes.heads);
  const std::size_t block_count = blocks.count(rows);
  for (std::size_t key = 0; key < rows; key += kKeys) {
    for (std::size_t e = 0; e < dim; e += kFeatures) {
      const std::size_t features = std::min<std::size_t>(kFeatures, dim - e);
      Vec<T> sum[kLanesHere];
#pragma GCC unroll 16
      for (std::size_t i = 0; i < kLanesHere; ++i) sum[i] = Vec<T>{};
      for (std::size_t group = 0; group < blocks.groups; ++group) {
        for (std::size_t block = key / blocks.tokens; block < block_count; ++block) {
          const T* const weight =
              weights + (group * blocks.start(block_count) + blocks.start(block) + key) * kLanesHere;
          const T* const vector = vectors + ((group * block_count + block) * dim + e) * kLanesHere;
          const std::size_t keys_here = std::min<std::size_t>(kKeys, blocks.tokens * (block + 1) - key);
          Vec<T> w[kKeys];
          if (keys_here == kKeys) {
#pragma GCC unroll 4
            for (std::size_t k = 0; k < kKeys; ++k) w[k] = load<T>(weight + k * kLanesHere);
          } else {
#pragma GCC unroll 4
            for (std::size_t k = 0; k < kKeys; ++k) w[k] = k < keys_here ? load<T>(weight + k * kLanesHere) : Vec<T>{};
          }
#pragma GCC unroll 4
          for (std::size_t f = 0; f < kFeatures; ++f) {
            const Vec<T> v = f < features ? load<T>(vector + f * kLanesHere) : Vec<T>{};
#pragma GCC unroll 4
            for (std::size_t k = 0; k < kKeys; ++k)
              sum[k * kFeatures + f] = multiply_add<T>(w[k], v, sum[k * kFeatures + f]);
          }
        }
      }
      const Vec<T> total = sums_of_lanes<T>(sum);
      for (std::size_t k = 0; k < std::min(kKeys, rows - key); ++k) {
        for (std::size_t f = 0; f < features; ++f)
          to[(key + k) * to_row + e + f] = total[static_cast<int>(k * kFeatures + f)];
      }
    }
  }
}

/// d_score = p (d_out . v - D), D = d_out . out;  d_query = sum_j d_score k_j;  d_k_j = sum d_score query;  d_v_j = sum
/// p d_out, the last two over all lanes. d_query lacks the factor 1 / sqrt(head_dim), d_keys the factor ln 2 (see the
/// caller).
template <class T, class Sizes>
[[gnu::always_inline]] inline void local_attention_backward(const Sizes& sizes, std::size_t rows,
                                                            const LocalBackward<T>& a) {
  constexpr std::size_t kRoom = head_room<std::remove_const_t<decltype(sizes.head_dim)>>();
  const std::size_t dim = sizes.head_dim;
  const LocalBlocks blocks = LocalBlocks::of<T>(sizes.heads);
  const std::size_t block_count = blocks.count(rows);
  alignas(64) T packed[kRoom * kLanes<T>];
  for (std::size_t group = 0; group < blocks.groups; ++group) {
    for (std::size_t block = 0; block < block_count; ++block) {
      const std::size_t first = block * blocks.tokens;
      const std::size_t count = std::min(blocks.tokens, rows - first);
      const std::size_t at = group * block_count + block;
      const std::size_t kept = (group * blocks.start(block_count) + blocks.start(block)) * kLanes<T>;
      T* const d_out = a.packed_d_out + at * dim * kLanes<T>;
      pack_rows<T>(sizes, blocks, group, a.d_out + first * a.d_out_row, a.d_out_row, count, d_out);
      pack_rows<T>(sizes, blocks, group, a.out + first * a.out_row, a.out_row, count, packed);
      const Vec<T> inverse = load<T>(a.packed_inverse + at * kLanes<T>);
      Vec<T> pull{};
      Vec<T> scaled[kRoom];
      for (std::size_t e = 0; e < dim; ++e) {
        scaled[e] = load<T>(d_out + e * kLanes<T>) * inverse;
        store<T>(d_out + e * kLanes<T>, scaled[e]);
        pull = multiply_add<T>(scaled[e], load<T>(packed + e * kLanes<T>), pull);
      }
      for (std::size_t j = 0; j < first + count; ++j) {
        const Vec<T> d_power = dot_with_row<T>(scaled, a.values + j * a.key_row, sizes.head_dim, -pull);
        store<T>(a.d_scores + kept + j * kLanes<T>, load<T>(a.probabilities + kept + j * kLanes<T>) * d_power);
      }
      Vec<T> d_query[kRoom];
      for (std::size_t e = 0; e < dim; ++e) d_query[e] = Vec<T>{};
      for (std::size_t j = 0; j < first + count; ++j) {
        const Vec<T> d_score = load<T>(a.d_scores + kept + j * kLanes<T>);
        const T* const key = a.keys + j * a.key_row;
#pragma GCC unroll 8
        for (std::size_t e = 0; e < dim; ++e) d_query[e] = multiply_add<T>(d_score, broadcast<T>(key[e]), d_query[e]);
      }
      for (std::size_t e = 0; e < dim; ++e) store<T>(packed + e * kLanes<T>, d_query[e]);
      unpack_rows<T>(sizes, blocks, group, packed, a.d_query + first * a.d_row, a.d_row, count);
    }
  }
  sum_over_rows<T>(sizes, rows, a.d_scores, a.packed_query, a.d_keys, a.d_row);
  sum_over_rows<T>(sizes, rows, a.probabilities, a.packed_d_out, a.d_values, a.d_row);
}

}  // namespace schemamem::SCHEMAMEM_ISA
