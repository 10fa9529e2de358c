#pragma once

#include <cstddef>
#include <type_traits>

#include "models/baseline/mixer.h"

namespace schemamem::gdn {

/// Tokens that the convolution mixes, the current one included.
inline constexpr std::size_t kTaps = 4;
inline constexpr double kNormEpsilon = 1e-6;
inline constexpr double kUnitEpsilon = 1e-6;  // inside the root that normalises queries and keys

/// Tokens that the delta rule treats at once. The products with the state cost the same for any length, those inside
/// the chunk grow with it, and 16 is the shortest that fills the widest vector.
inline constexpr std::size_t kChunk = 16;
/// Tokens between two looks at the projection weights: a block's activations stay in the second-level cache.
inline constexpr std::size_t kBlock = 2 * kChunk;
/// Tokens that advance() projects at once.
inline constexpr std::size_t kStreamRows = 16;

// A token's merged projection is [q | k | v | gate | a, b, zeros up to whole vectors]. Width and head are multiples of
// 16, so that every other part of it is whole vectors of any instruction set by itself.

/// Any sizes.
struct AnySizes {
  static constexpr std::size_t kChunk = gdn::kChunk, kMostHeads = 64, kMostHead = 256, kMostGates = 2 * kMostHeads;
  std::size_t width;      // D
  std::size_t heads;      // H
  std::size_t head;       // K = V: width of a key and of a value
  std::size_t inner;      // H V
  std::size_t mixed;      // q, k, v: what the convolution mixes over time
  std::size_t sigmoids;   // of q, k, v and of the gate
  std::size_t projected;  // columns that have weights
  std::size_t gates;      // a_0, a_1, ..., b_0, b_1, ..., zeros
  std::size_t columns;    // of the merged projection
  std::size_t state;      // one head's S

  [[gnu::always_inline]] constexpr AnySizes(std::size_t model_width, std::size_t head_count, std::size_t head_width)
      : width(model_width),
        heads(head_count),
        head(head_width),
        inner(heads * head),
        mixed(3 * inner),
        sigmoids(mixed + inner),
        projected(mixed + inner + 2 * heads),
        gates((2 * heads + 15) / 16 * 16),
        columns(mixed + inner + gates),
        state(head * head) {}
};

/// A size that the compiler knows; the kernels call it Fixed.
template <std::size_t n>
using Known = std::integral_constant<std::size_t, n>;

/// The published sizes.
struct PublishedSizes {
  static constexpr std::size_t kChunk = gdn::kChunk, kMostHeads = 2, kMostHead = 48, kMostGates = 16;
  static constexpr AnySizes kAny{kModelWidth, kMostHeads, kMostHead};
  static constexpr Known<kAny.width> width{};
  static constexpr Known<kAny.heads> heads{};
  static constexpr Known<kAny.head> head{};
  static constexpr Known<kAny.inner> inner{};
  static constexpr Known<kAny.mixed> mixed{};
  static constexpr Known<kAny.sigmoids> sigmoids{};
  static constexpr Known<kAny.projected> projected{};
  static constexpr Known<kAny.gates> gates{};
  static constexpr Known<kAny.columns> columns{};
  static constexpr Known<kAny.state> state{};

  [[gnu::always_inline]] constexpr explicit PublishedSizes(const AnySizes& /*the same*/) {}
};

/// Offsets in the weights, in the order of parameters().
struct Weights {
  std::size_t q_proj, k_proj, v_proj, g_proj, a_proj, b_proj, q_conv, k_conv, v_conv, a_log, dt_bias, o_norm, o_proj,
      size;
  template <class Sizes>
  [[gnu::always_inline]] constexpr explicit Weights(const Sizes& s)
      : q_proj(0),
        k_proj(q_proj + s.inner * s.width),
        v_proj(k_proj + s.inner * s.width),
        g_proj(v_proj + s.inner * s.width),
        a_proj(g_proj + s.inner * s.width),
        b_proj(a_proj + s.heads * s.width),
        q_conv(b_proj + s.heads * s.width),
        k_conv(q_conv + s.inner * kTaps),
        v_conv(k_conv + s.inner * kTaps),
        a_log(v_conv + s.inner * kTaps),
        dt_bias(a_log + s.heads),
        o_norm(dt_bias + s.heads),
        o_proj(o_norm + s.head),
        size(o_proj + s.width * s.inner) {}
};
/// Offsets in the state, in the order of state(): S^T of each head as [V, K], then the raw projections of the last
/// four tokens, oldest first, as [channel, token].
struct State {
  std::size_t recurrent, conv, size;
  template <class Sizes>
  [[gnu::always_inline]] constexpr explicit State(const Sizes& s)
      : recurrent(0), conv(s.heads * s.state), size(conv + s.mixed * kTaps) {}
};

/// The weights as the kernels read them.
struct Folded {
  std::size_t in;       // [D, columns]
  std::size_t in_t;     // [columns, D]
  std::size_t taps;     // [tap, channel]; the last tap is "now"
  std::size_t dt_bias;  // [gates]: on each a, zeros elsewhere
  std::size_t rate;     // [gates]: e^A_log of each head
  std::size_t o_norm;   // [inner]: repeated for each head
  std::size_t out;      // [inner, D]
  std::size_t out_t;    // [D, inner]
  std::size_t size;
  template <class Sizes>
  [[gnu::always_inline]] constexpr explicit Folded(const Sizes& s)
      : in(0),
        in_t(in + s.width * s.columns),
        taps(in_t + s.width * s.columns),
        dt_bias(taps + kTaps * s.mixed),
        rate(dt_bias + s.gates),
        o_norm(rate + s.gates),
        out(o_norm + s.inner),
        out_t(out + s.inner * s.width),
        size(out_t + s.inner * s.width) {}
};
/// Gradients, laid out like the folded weights that they belong to.
struct Shard {
  std::size_t in, taps, a_log, dt_bias, o_norm, out, size;
  template <class Sizes>
  [[gnu::always_inline]] constexpr explicit Shard(const Sizes& s)
      : in(0),
        taps(in + s.width * s.columns),
        a_log(taps + kTaps * s.mixed),
        dt_bias(a_log + s.gates),
        o_norm(dt_bias + s.gates),
        out(o_norm + s.inner),
        size(out + s.inner * s.width) {}
};

/// What forward keeps. Rows of a chunk that lie behind the last token are zero wherever backward reads them.
enum TapeBlock : std::size_t {
  kRaw,      // [4 + T', columns]: merged projection; the four rows in front are the cache that came in
  kSigmoid,  // [T', sigmoids]: sigmoid of the convolution's output and of the gate
  kUnit,     // [T', mixed]: normalised query times 1/sqrt(K), normalised key, value
  kScalars,  // [chunk, Scalar, head, 16]
  kPairs,    // [chunk, head, PairMatrix, 16, 16]
  kError,    // [T', inner]: r, the prediction error
  kWrite,    // [T', inner]: x = beta r
  kRead,     // [T', inner]: o
  kStates,   // [chunk, head, V, K]: S^T before each chunk
  kTapeBlocks,
};
/// One number for each token of a chunk and each head.
enum Scalar : std::size_t {
  kLogDecay,     // g
  kStep,         // sigmoid(a + dt_bias)
  kBeta,         // beta
  kDecay,        // e^G, the decay since the chunk's start
  kQueryScale,   // 1 / (|x^q| sqrt(K))
  kKeyScale,     // 1 / |x^k|
  kQueryLength,  // the reciprocals of both
  kKeyLength,
  kReadScale,  // 1 / rms(o)
  kScalarKinds,
};
enum PairMatrix : std::size_t {
  kMask,     // M_ij = e^{G_i - G_j} for j <= i, else 0
  kOverlap,  // -diag(beta) N, N = strictly lower part of M (K K^T)
  kAttend,   // M (Q K^T)
  kPairMatrices,
};

enum ScratchBlock : std::size_t {
  kGated,     // [block, inner]: the normalised and gated read-out
  kCarried,   // [head, K, V]: S in forward, its gradient E in backward
  kCarriedT,  // [head, V, K]: E^T
  kWork,      // what one chunk needs for itself
  kDRead,     // [block, inner]: gradient of the gated read-out, then of o
  kDMixed,    // [block + 3, mixed]: gradients of q, k, v, then of the convolution's output; 3 rows of the block behind
  kDRaw,      // [block, columns]
  kStill,     // [head, StillPart]: used only if the stillness term is
  kScratchBlocks,
};
/// Offsets of the stillness term's matrices of one head.
struct StillPart {
  std::size_t end_t, begin_t;    // [V, K]: S^T at both ends of a segment
  std::size_t change, change_t;  // gradient of the state at the segment's end
  std::size_t d_state, d_write, d_key, inner, size;
  template <class Sizes>
  [[gnu::always_inline]] constexpr explicit StillPart(const Sizes& s)
      : end_t(0),
        begin_t(end_t + s.state),
        change(begin_t + s.state),
        change_t(change + s.state),
        d_state(change_t + s.state),
        d_write(d_state + s.state),
        d_key(d_write + kChunk * s.head),
        inner(d_key + kChunk * s.head),
        size(inner + kChunk) {}
};

[[gnu::always_inline]] constexpr std::size_t whole_chunks(std::size_t tokens) { return (tokens + kChunk - 1) / kChunk; }

}  // namespace schemamem::gdn
