#pragma once

#include "kernels/rows.h"
#include "kernels/vector_math.h"

// The gated delta rule of one head over one chunk of C tokens, in the WY form (C tokens at once instead of one by one):
//
//   M_ij = e^{G_i - G_j} for j <= i, else 0      G: sum of the log decays from the chunk's start
//   N    = strictly lower part of M (K K^T)      P = M (Q K^T)
//   (I + N diag(beta)) r = V - diag(e^G) K S_0   x = diag(beta) r
//   O    = diag(e^G) Q S_0 + P x                 S_C = e^{G_C} S_0 + K^T diag(M_C) x
//
// The queries carry the factor 1/sqrt(K). `Sizes` has kChunk (C) and the members head (K = V), mixed (elements from one
// query, key or value to the next) and inner (the same for errors, writes and reads), each Fixed or a std::size_t. A
// head is a multiple of 16 wide, hence whole vectors.

namespace schemamem::SCHEMAMEM_ISA {

template <class T>
struct DeltaForward {
  const T *query, *key, *value;  // [C, K]
  const T *log_decay, *beta;     // [C]
  T* mask;                       // [C, C]: M
  T* overlap;                    // [C, C]: -diag(beta) N
  T* attend;                     // [C, C]: P
  T* decay;                      // [C]: e^G
  T *error, *write, *read;       // [C, V]: r, x, O
  T* state;                      // [K, V]: S_0 on entry, S_C on return
  bool empty;                    // S_0 is zero, whatever `state` holds
  T* state_after_t;              // [V, K]: S_C^T; nullptr: nobody needs S_C
  T* work;                       // [2 C V + C C]
};

template <class T>
struct DeltaBackward {
  const T *query, *key, *value;  // [C, K]
  const T* beta;                 // [C]
  const T *mask, *overlap, *attend, *decay;
  const T *error, *write, *read;  // [C, V]
  const T* state_t;               // [V, K]: S_0^T; nullptr: zero
  const T* d_read;                // [C, V]
  T *d_state, *d_state_t;         // [K, V] and its transpose: dL/dS_C on entry, dL/dS_0 on return
  bool empty;                     // dL/dS_C is zero, whatever `d_state` holds
  bool d_state_wanted;
  /// Gradients that reach states inside the chunk (delta_exit); nullptr: there are none.
  const T *exit_d_write, *exit_d_key;  // [C, V], [C, K]
  const T *exit_d_state, *exit_inner;  // [K, V], [C]
  T *d_query, *d_key, *d_value;        // [C, K], overwritten
  T *d_beta, *d_log_decay;             // [C], overwritten
  T* work;                             // [5 C V + 2 C C]
};

template <class T, class Sizes>
struct GatedDelta {
  static constexpr std::size_t kChunk = Sizes::kChunk;
  static constexpr Fixed<kChunk> kTokens{};
  /// Accumulators of the blocks that are solved in registers; their height divides the chunk.
  static constexpr int kRows = kVectorRegisters == 32 ? 8 : 4;
  static constexpr int kVecs = 3;
  static_assert(kChunk % kRows == 0 && kChunk % kLanes<T> == 0);

  template <class Body>
  [[gnu::always_inline]] static void for_blocks(Sizes s, const Body& body) {
    for_tiles<kRows, kVecs>(kTokens, vectors_in<T>(s.head), [&](auto height, auto width, std::size_t i, std::size_t v) {
      Tile<T, height.value, width.value> tile;
      body(tile, i, v * kLanes<T>);
    });
  }
  template <class Block>
  [[gnu::always_inline]] static void scale_rows(Block& tile, const T* factor) {
#pragma GCC unroll 8
    for (int i = 0; i < Block::kRows; ++i) {
#pragma GCC unroll 3
      for (int v = 0; v < Block::kVecs; ++v) tile.sum[i][v] *= factor[i];
    }
  }
  /// to = diag(factor) from.
  [[gnu::always_inline]] static void scaled_copy(Sizes s, const T* from, std::size_t from_row, const T* factor, T sign,
                                                 T* to) {
    const std::size_t head = s.head;  // GCC unrolls a loop only up to a plain number
    for (std::size_t i = 0; i < kChunk; ++i) {
      const T f = sign * factor[i];
#pragma GCC unroll 6
      for (std::size_t j = 0; j < head; j += kLanes<T>)
        store<T>(to + i * head + j, load<T>(from + i * from_row + j) * f);
    }
  }
  /// Elementwise product of a finished block with the same block of `factor`, both [C, C].
  template <class Block>
  [[gnu::always_inline]] static void store_masked(const Block& tile, const T* factor, T* to, std::size_t at) {
#pragma GCC unroll 16
    for (int i = 0; i < Block::kRows; ++i) {
#pragma GCC unroll 8
      for (int v = 0; v < Block::kVecs; ++v) {
        const std::size_t place = at + static_cast<std::size_t>(i) * kChunk + static_cast<std::size_t>(v * kLanes<T>);
        store<T>(to + place, tile.sum[i][v] * load<T>(factor + place));
      }
    }
  }
  /// out[i] = a_i . b_i over the rows of a chunk.
  [[gnu::always_inline]] static void row_products(Sizes s, const T* a, std::size_t a_row, const T* b, std::size_t b_row,
                                                  T* out) {
    row_sums<T>(kChunk, out, [&](std::size_t i) { return dot_lanes<T>(a + i * a_row, b + i * b_row, s.head); });
  }

  [[gnu::noinline]] static void make_mask(const T* log_decay, T* mask, T* decay) {
    alignas(64) T sum[kChunk];
    T total = 0;
    for (std::size_t i = 0; i < kChunk; ++i) sum[i] = total += log_decay[i];
    for (std::size_t j = 0; j < kChunk; j += kLanes<T>) store<T>(decay + j, exponential<T>(load<T>(sum + j)));
    for (std::size_t i = 0; i < kChunk; ++i) {
      for (std::size_t j = 0; j < kChunk; j += kLanes<T>) {
        const VecInt<T> past = first_lanes<T>(static_cast<std::ptrdiff_t>(i + 1) - static_cast<std::ptrdiff_t>(j));
        store<T>(mask + i * kChunk + j, keep<T>(past, exponential<T>(sum[i] - load<T>(sum + j))));
      }
    }
  }

  [[gnu::noinline]] static void forward(Sizes s, const DeltaForward<T>& c) {
    T* const key_t = c.work;                  // [K, C]
    T* const late = key_t + kChunk * s.head;  // [C, V]: x as the chunk's end sees it
    T* const solve = late + kChunk * s.head;  // [C, C]: -N diag(beta)
    make_mask(c.log_decay, c.mask, c.decay);
    transpose<T>(c.key, s.mixed, kChunk, s.head, key_t, kChunk);
    product<T>(
        {c.query, s.mixed, 1}, {key_t, kChunk}, kTokens, kTokens, s.head,
        [&](const auto& tile, std::size_t i, std::size_t j) { store_masked(tile, c.mask, c.attend, i * kChunk + j); });
    product<T>(
        {c.key, s.mixed, 1}, {key_t, kChunk}, kTokens, kTokens, s.head,
        [&](const auto& tile, std::size_t i, std::size_t j) { store_masked(tile, c.mask, solve, i * kChunk + j); });
    for (std::size_t i = 0; i < kChunk; ++i) {
      solve[i * kChunk + i] = 0;
      for (std::size_t j = 0; j < kChunk; j += kLanes<T>) {
        const Vec<T> overlap = load<T>(solve + i * kChunk + j);
        store<T>(c.overlap + i * kChunk + j, -c.beta[i] * overlap);
        store<T>(solve + i * kChunk + j, -load<T>(c.beta + j) * overlap);
      }
    }
    const T* const to_end = c.mask + (kChunk - 1) * kChunk;
    for_blocks(
        s, [&](auto& tile, std::size_t i, std::size_t j) __attribute__((always_inline)) {
          tile.zero();
          if (!c.empty) tile.accumulate({c.key + i * s.mixed, s.mixed, 1}, {c.state + j, s.head}, s.head);
          subtract_from_value(s, tile, c, i, j);
          tile.accumulate({solve + i * kChunk, kChunk, 1}, {c.error + j, s.inner}, i);
          substitute_down(tile, solve + i * kChunk + i);
          tile.store_to(c.error + i * s.inner + j, s.inner);
          scale_rows(tile, c.beta + i);
          tile.store_to(c.write + i * s.inner + j, s.inner);
          scale_rows(tile, to_end + i);
          tile.store_to(late + i * s.head + j, s.head);
        });
    for_blocks(
        s, [&](auto& tile, std::size_t i, std::size_t j) __attribute__((always_inline)) {
          tile.zero();
          if (!c.empty) {
            tile.accumulate({c.query + i * s.mixed, s.mixed, 1}, {c.state + j, s.head}, s.head);
            scale_rows(tile, c.decay + i);
          }
          tile.accumulate({c.attend + i * kChunk, kChunk, 1}, {c.write + j, s.inner}, i + kRows);
          tile.store_to(c.read + i * s.inner + j, s.inner);
        });
    if (c.state_after_t == nullptr) return;
    const T left = c.decay[kChunk - 1];
    for_tiles<kTileRows, kTileVecs>(s.head, vectors_in<T>(s.head),
                                    [&](auto height, auto width, std::size_t i, std::size_t v) {
                                      Tile<T, height.value, width.value> tile;
                                      T* const block = c.state + i * s.head + v * kLanes<T>;
                                      start_from(s, tile, block, left, c.empty);
                                      tile.accumulate({c.key + i, 1, s.mixed}, {late + v * kLanes<T>, s.head}, kChunk);
                                      tile.store_to(block, s.head);
                                    });
    transpose<T>(c.state, s.head, s.head, s.head, c.state_after_t, s.head);
  }

  /// With E = dL/dS_C, Y = dL/dx, D = dL/d(M^-1 P) and dR = dL/dr:
  ///   dx = P^T dO + diag(M_C) K E;   (I + diag(beta) N)^T Y = dx;   dV = dR = diag(beta) Y;   dbeta_i = Y_i . r_i
  ///   D = M (dO x^T);   B = -diag(beta) strictly lower part of M (Y x^T)
  ///   dQ = D K + diag(e^G) dO S_0^T;   dK = D^T Q + (B + B^T) K - diag(e^G) dR S_0^T + diag(M_C) x E^T
  ///   E_0 = e^{G_C} E + Q^T diag(e^G) dO - K^T diag(e^G) dR
  ///   dg_0 = <E_0, S_0>,   dg_{t+1} = dg_t - dO_t . O_t + dV_t . V_t
  /// The last line is the suffix-sum identity anchored anew in every chunk by an inner product of states, so that it
  /// never cancels over more than C terms.
  [[gnu::noinline]] static void backward(Sizes s, const DeltaBackward<T>& c) {
    T* const y = c.work;                                  // [C, V]
    T* const late = y + kChunk * s.head;                  // [C, V]: diag(M_C) x
    T* const early_read = late + kChunk * s.head;         // [C, V]: diag(e^G) dO
    T* const early_error = early_read + kChunk * s.head;  // [C, V]: -diag(e^G) dR
    T* const write_t = early_error + kChunk * s.head;     // [V, C]: x^T
    T* const d_attend = write_t + kChunk * s.head;        // [C, C]: D
    T* const d_overlap = d_attend + kChunk * kChunk;      // [C, C]: B + B^T
    const T* const to_end = c.mask + (kChunk - 1) * kChunk;
    solve_for_y(s, c, to_end, y);
    scaled_copy(s, c.write, s.inner, to_end, T(1), late);
    scaled_copy(s, c.d_read, s.inner, c.decay, T(1), early_read);
    scale_values(s, c, y, early_error);
    pair_gradients(s, c, y, write_t, d_attend, d_overlap);
    for_blocks(
        s, [&](auto& tile, std::size_t i, std::size_t j) __attribute__((always_inline)) {
          tile.zero();
          if (c.state_t != nullptr)
            tile.accumulate({early_read + i * s.head, s.head, 1}, {c.state_t + j, s.head}, s.head);
          tile.accumulate({d_attend + i * kChunk, kChunk, 1}, {c.key + j, s.mixed}, i + kRows);
          tile.store_to(c.d_query + i * s.mixed + j, s.mixed);
        });
    for_blocks(
        s, [&](auto& tile, std::size_t i, std::size_t j) __attribute__((always_inline)) {
          if (c.exit_d_key != nullptr) {
            tile.load_from(c.exit_d_key + i * s.head + j, s.head);
          } else {
            tile.zero();
          }
          if (c.state_t != nullptr)
            tile.accumulate({early_error + i * s.head, s.head, 1}, {c.state_t + j, s.head}, s.head);
          if (!c.empty) tile.accumulate({late + i * s.head, s.head, 1}, {c.d_state_t + j, s.head}, s.head);
          tile.accumulate({d_attend + i * kChunk + i, 1, kChunk}, {c.query + i * s.mixed + j, s.mixed}, kChunk - i);
          tile.accumulate({d_overlap + i * kChunk, kChunk, 1}, {c.key + j, s.mixed}, kChunk);
          tile.store_to(c.d_key + i * s.mixed + j, s.mixed);
        });
    if (c.d_state_wanted) carry_back(s, c, early_read, early_error);
    log_decay_gradient(s, c);
  }

  /// S_n^T [V, K], n >= 1 tokens into the chunk, from what forward left behind.
  [[gnu::noinline]] static void state_inside(Sizes s, const DeltaBackward<T>& c, std::size_t n, T* state_t) {
    const T* const seen = c.mask + (n - 1) * kChunk;
    scaled_copy(s, c.write, s.inner, seen, T(1), c.work);
    for_tiles<kTileRows, kTileVecs>(
        s.head, vectors_in<T>(s.head), [&](auto height, auto width, std::size_t i, std::size_t v) {
          Tile<T, height.value, width.value> tile;
          const bool empty = c.state_t == nullptr;
          start_from(s, tile, empty ? nullptr : c.state_t + i * s.head + v * kLanes<T>, c.decay[n - 1], empty);
          tile.accumulate({c.work + i, 1, s.head}, {c.key + v * kLanes<T>, s.mixed}, n);
          tile.store_to(state_t + i * s.head + v * kLanes<T>, s.head);
        });
  }
  /// Adds what a gradient B of S_n, given as B and B^T, means for this chunk: dx_j += M_nj B^T k_j,
  /// dk_j += M_nj B x_j, dS_0 += e^{G_n} B.
  [[gnu::noinline]] static void add_exit(Sizes s, const DeltaBackward<T>& c, std::size_t n, const T* b, const T* b_t,
                                         T* d_write, T* d_key, T* d_state) {
    const T* const seen = c.mask + (n - 1) * kChunk;
    const auto add = [&](const T* left, std::size_t row, const T* right, T* to) {
      scaled_copy(s, left, row, seen, T(1), c.work);
      multiply_onto<T>({c.work, s.head, 1}, {right, s.head}, to, s.head, kTokens, s.head, s.head);
    };
    add(c.key, s.mixed, b, d_write);
    add(c.write, s.inner, b_t, d_key);
    for (std::size_t i = 0; i < s.head * s.head; i += kLanes<T>) {
      store<T>(d_state + i, multiply_add<T>(load<T>(b + i), broadcast<T>(c.decay[n - 1]), load<T>(d_state + i)));
    }
  }

 private:
  template <class Block>
  [[gnu::always_inline]] static void start_from(Sizes s, Block& tile, const T* block, T factor, bool empty) {
    if (empty) {
      tile.zero();
      return;
    }
    tile.load_from(block, s.head);
#pragma GCC unroll 16
    for (int i = 0; i < Block::kRows; ++i) {
#pragma GCC unroll 3
      for (int v = 0; v < Block::kVecs; ++v) tile.sum[i][v] *= factor;
    }
  }
  /// tile = V - diag(e^G) tile.
  template <class Block>
  [[gnu::always_inline]] static void subtract_from_value(Sizes s, Block& tile, const DeltaForward<T>& c, std::size_t i,
                                                         std::size_t j) {
#pragma GCC unroll 8
    for (int a = 0; a < Block::kRows; ++a) {
      const std::size_t row = i + static_cast<std::size_t>(a);
      const Vec<T> decay = broadcast<T>(-c.decay[row]);
#pragma GCC unroll 3
      for (int v = 0; v < Block::kVecs; ++v) {
        tile.sum[a][v] = multiply_add<T>(tile.sum[a][v], decay, load<T>(c.value + row * s.mixed + j + v * kLanes<T>));
      }
    }
  }
  /// x_i += sum over j < i of coefficient_ij x_j, from the first row down.
  template <class Block>
  [[gnu::always_inline]] static void substitute_down(Block& tile, const T* coefficient) {
#pragma GCC unroll 8
    for (int j = 0; j + 1 < Block::kRows; ++j) {
#pragma GCC unroll 8
      for (int i = 1; i < Block::kRows; ++i) {
        if (i <= j) continue;
        const Vec<T> factor = broadcast<T>(coefficient[i * static_cast<int>(kChunk) + j]);
#pragma GCC unroll 3
        for (int v = 0; v < Block::kVecs; ++v) tile.sum[i][v] = multiply_add<T>(factor, tile.sum[j][v], tile.sum[i][v]);
      }
    }
  }
  /// x_i += sum over j > i of coefficient_ji x_j, from the last row up.
  template <class Block>
  [[gnu::always_inline]] static void substitute_up(Block& tile, const T* coefficient) {
#pragma GCC unroll 8
    for (int j = Block::kRows - 1; j > 0; --j) {
#pragma GCC unroll 8
      for (int i = 0; i + 1 < Block::kRows; ++i) {
        if (i >= j) continue;
        const Vec<T> factor = broadcast<T>(coefficient[j * static_cast<int>(kChunk) + i]);
#pragma GCC unroll 3
        for (int v = 0; v < Block::kVecs; ++v) tile.sum[i][v] = multiply_add<T>(factor, tile.sum[j][v], tile.sum[i][v]);
      }
    }
  }

  [[gnu::always_inline]] static void solve_for_y(Sizes s, const DeltaBackward<T>& c, const T* to_end, T* y) {
    for_blocks(
        s, [&](auto& tile, std::size_t up, std::size_t j) __attribute__((always_inline)) {
          const std::size_t i = kChunk - kRows - up;
          const std::size_t below = i + kRows;
          tile.zero();
          if (!c.empty) {
            tile.accumulate({c.key + i * s.mixed, s.mixed, 1}, {c.d_state + j, s.head}, s.head);
            scale_rows(tile, to_end + i);
          }
          if (c.exit_d_write != nullptr) add_block(s, tile, c.exit_d_write + i * s.head + j);
          tile.accumulate({c.attend + i * kChunk + i, 1, kChunk}, {c.d_read + i * s.inner + j, s.inner}, kChunk - i);
          tile.accumulate({c.overlap + below * kChunk + i, 1, kChunk}, {y + below * s.head + j, s.head},
                          kChunk - below);
          substitute_up(tile, c.overlap + i * kChunk + i);
          tile.store_to(y + i * s.head + j, s.head);
        });
  }
  template <class Block>
  [[gnu::always_inline]] static void add_block(Sizes s, Block& tile, const T* block) {
#pragma GCC unroll 8
    for (int i = 0; i < Block::kRows; ++i) {
#pragma GCC unroll 3
      for (int v = 0; v < Block::kVecs; ++v) tile.sum[i][v] += load<T>(block + i * s.head + v * kLanes<T>);
    }
  }
  [[gnu::always_inline]] static void scale_values(Sizes s, const DeltaBackward<T>& c, const T* y, T* early_error) {
    const std::size_t head = s.head;
    for (std::size_t i = 0; i < kChunk; ++i) {
#pragma GCC unroll 6
      for (std::size_t j = 0; j < head; j += kLanes<T>) {
        const Vec<T> d_value = load<T>(y + i * s.head + j) * c.beta[i];
        store<T>(c.d_value + i * s.mixed + j, d_value);
        store<T>(early_error + i * s.head + j, d_value * -c.decay[i]);
      }
    }
    row_products(s, y, s.head, c.error, s.inner, c.d_beta);
  }
  [[gnu::always_inline]] static void pair_gradients(Sizes s, const DeltaBackward<T>& c, const T* y, T* write_t,
                                                    T* d_attend, T* d_overlap) {
    transpose<T>(c.write, s.inner, kChunk, s.head, write_t, kChunk);
    product<T>(
        {c.d_read, s.inner, 1}, {write_t, kChunk}, kTokens, kTokens, s.head,
        [&](const auto& tile, std::size_t i, std::size_t j) { store_masked(tile, c.mask, d_attend, i * kChunk + j); });
    T* const lower = d_overlap;
    product<T>(
        {y, s.head, 1}, {write_t, kChunk}, kTokens, kTokens, s.head,
        [&](const auto& tile, std::size_t i, std::size_t j) { store_masked(tile, c.mask, lower, i * kChunk + j); });
    alignas(64) T upper[kChunk * kChunk];
    for (std::size_t i = 0; i < kChunk; ++i) {
      lower[i * kChunk + i] = 0;
      for (std::size_t j = 0; j < kChunk; j += kLanes<T>) {
        store<T>(lower + i * kChunk + j, load<T>(lower + i * kChunk + j) * -c.beta[i]);
      }
    }
    transpose<T>(lower, kChunk, kChunk, kChunk, upper, kChunk);
    for (std::size_t i = 0; i < kChunk * kChunk; i += kLanes<T>) {
      store<T>(d_overlap + i, load<T>(lower + i) + load<T>(upper + i));
    }
  }
  [[gnu::always_inline]] static void carry_back(Sizes s, const DeltaBackward<T>& c, const T* early_read,
                                                const T* early_error) {
    const T left = c.decay[kChunk - 1];
    for_tiles<kTileRows, kTileVecs>(
        s.head, vectors_in<T>(s.head), [&](auto height, auto width, std::size_t i, std::size_t v) {
          Tile<T, height.value, width.value> tile;
          T* const block = c.d_state + i * s.head + v * kLanes<T>;
          start_from(s, tile, block, left, c.empty);
          tile.accumulate({c.query + i, 1, s.mixed}, {early_read + v * kLanes<T>, s.head}, kChunk);
          tile.accumulate({c.key + i, 1, s.mixed}, {early_error + v * kLanes<T>, s.head}, kChunk);
          tile.store_to(block, s.head);
        });
    if (c.exit_d_state != nullptr) {
      for (std::size_t i = 0; i < s.head * s.head; i += kLanes<T>) {
        store<T>(c.d_state + i, load<T>(c.d_state + i) + load<T>(c.exit_d_state + i));
      }
    }
    transpose<T>(c.d_state, s.head, s.head, s.head, c.d_state_t, s.head);
  }
  [[gnu::always_inline]] static void log_decay_gradient(Sizes s, const DeltaBackward<T>& c) {
    alignas(64) T read_part[kChunk], value_part[kChunk];
    row_products(s, c.d_read, s.inner, c.read, s.inner, read_part);
    row_products(s, c.d_value, s.mixed, c.value, s.mixed, value_part);
    T running = 0;
    if (c.state_t != nullptr) running = inner(s, c.d_state_t, c.state_t);
    for (std::size_t t = 0; t < kChunk; ++t) {
      c.d_log_decay[t] = running;
      running -= read_part[t] - value_part[t];
      if (c.exit_inner != nullptr) running -= c.exit_inner[t];
    }
  }

 public:
  /// <A, B> of two states.
  [[gnu::always_inline]] static T inner(Sizes s, const T* a, const T* b) {
    Vec<T> sum[4]{};
    for (std::size_t i = 0; i < s.head * s.head; i += 4 * kLanes<T>) {
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) {
        sum[k] = multiply_add<T>(load<T>(a + i + k * kLanes<T>), load<T>(b + i + k * kLanes<T>), sum[k]);
      }
    }
    return horizontal_sum<T>((sum[0] + sum[1]) + (sum[2] + sum[3]));
  }
};

}  // namespace schemamem::SCHEMAMEM_ISA
