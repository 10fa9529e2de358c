#pragma once

#include <cstddef>

#include "models/baseline/mixer.h"

namespace schemamem::gdn {

/// Sizes of the published configuration; the kernels are compiled for exactly these.
inline constexpr std::size_t kHeads = 2;
inline constexpr std::size_t kHead = 48;               // K = V: width of a key and of a value
inline constexpr std::size_t kInner = kHeads * kHead;  // 96
inline constexpr std::size_t kTaps = 4;
inline constexpr std::size_t kMlpHidden = 16;
inline constexpr double kNormEpsilon = 1e-6;
inline constexpr double kUnitEpsilon = 1e-6;  // inside the root that normalises queries and keys

/// A token's merged projection: [q | k | v | gate | a, b, zeros up to whole vectors].
inline constexpr std::size_t kMixed = 3 * kInner;                  // q, k, v: what the convolution mixes over time
inline constexpr std::size_t kGates = 16;                          // a_0, a_1, b_0, b_1, 12 zeros
inline constexpr std::size_t kColumns = kMixed + kInner + kGates;  // 400

/// Tokens that the delta rule treats at once. The products with the state cost the same for any length, those inside
/// the chunk grow with it, and 16 is the shortest that fills the widest vector.
inline constexpr std::size_t kChunk = 16;
/// Tokens between two looks at the projection weights: a block's activations stay in the second-level cache.
inline constexpr std::size_t kBlock = 2 * kChunk;
/// Tokens that advance() projects at once.
inline constexpr std::size_t kStreamRows = 16;

inline constexpr std::size_t kStateSize = kHead * kHead;  // one head's S

/// Offsets in the weights, in the order of parameters().
struct Weights {
  static constexpr std::size_t q_proj = 0, k_proj = q_proj + kInner * kModelWidth,
                               v_proj = k_proj + kInner * kModelWidth, g_proj = v_proj + kInner * kModelWidth,
                               a_proj = g_proj + kInner * kModelWidth, b_proj = a_proj + kHeads * kModelWidth,
                               q_conv = b_proj + kHeads * kModelWidth, k_conv = q_conv + kInner * kTaps,
                               v_conv = k_conv + kInner * kTaps, a_log = v_conv + kInner * kTaps,
                               dt_bias = a_log + kHeads, o_norm = dt_bias + kHeads, o_proj = o_norm + kHead,
                               size = o_proj + kModelWidth * kInner;
};
/// Offsets in the state, in the order of state(): S^T of each head as [V, K], then the raw projections of the last
/// four tokens, oldest first, as [channel, token].
struct State {
  static constexpr std::size_t recurrent = 0, conv = kHeads * kStateSize, size = conv + kMixed * kTaps;
};

/// The weights as the kernels read them.
struct Folded {
  static constexpr std::size_t in = 0,       // [D, columns]
      in_t = in + kModelWidth * kColumns,    // [columns, D]
      taps = in_t + kModelWidth * kColumns,  // [tap, channel]; the last tap is "now"
      dt_bias = taps + kTaps * kMixed,       // [gates]: on a_0 and a_1, zeros elsewhere
      rate = dt_bias + kGates,               // [gates]: e^A_log of each head
      o_norm = rate + kGates,                // [inner]: repeated for each head
      out = o_norm + kInner,                 // [inner, D]
      out_t = out + kInner * kModelWidth, size = out_t + kInner * kModelWidth;  // [D, inner]
};
/// Gradients, laid out like the folded weights that they belong to.
struct Shard {
  static constexpr std::size_t in = 0, taps = in + kModelWidth * kColumns, a_log = taps + kTaps * kMixed,
                               dt_bias = a_log + kGates, o_norm = dt_bias + kGates, out = o_norm + kInner,
                               size = out + kInner * kModelWidth;
};

/// What forward keeps. Rows of a chunk that lie behind the last token are zero wherever backward reads them.
enum TapeBlock : std::size_t {
  kRaw,      // [4 + T', columns]: merged projection; the four rows in front are the cache that came in
  kSigmoid,  // [T', mixed + inner]: sigmoid of the convolution's output and of the gate
  kUnit,     // [T', mixed]: normalised query times 1/sqrt(K), normalised key, value
  kScalars,  // [chunk, ScalarRow, 16]
  kPairs,    // [chunk, head, PairMatrix, 16, 16]
  kError,    // [T', inner]: r, the prediction error
  kWrite,    // [T', inner]: x = beta r
  kRead,     // [T', inner]: o
  kStates,   // [chunk, head, V, K]: S^T before each chunk
  kTapeBlocks,
};
/// One number for each token of a chunk; one row for each head, the second behind the first.
enum ScalarRow : std::size_t {
  kLogDecay = 0,      // g
  kStep = 2,          // sigmoid(a + dt_bias)
  kBeta = 4,          // beta
  kDecay = 6,         // e^G, the decay since the chunk's start
  kQueryScale = 8,    // 1 / (|x^q| sqrt(K))
  kKeyScale = 10,     // 1 / |x^k|
  kQueryLength = 12,  // the reciprocals of both
  kKeyLength = 14,
  kReadScale = 16,  // 1 / rms(o)
  kScalarRows = 18,
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
inline constexpr std::size_t kWorkSize = 5 * kChunk * kHead + 2 * kChunk * kChunk;
/// Offsets of the stillness term's matrices of one head.
struct StillPart {
  static constexpr std::size_t end_t = 0, begin_t = end_t + kStateSize,  // [V, K]: S^T at both ends of a segment
      change = begin_t + kStateSize, change_t = change + kStateSize,     // gradient of the state at the segment's end
      d_state = change_t + kStateSize, d_write = d_state + kStateSize, d_key = d_write + kChunk * kHead,
                               inner = d_key + kChunk * kHead, size = inner + kChunk;
};

/// What the delta rule's kernels are compiled for.
struct DeltaShape {
  static constexpr std::size_t kHead = gdn::kHead, kChunk = gdn::kChunk, kRow = kMixed, kInner = gdn::kInner;
};

constexpr std::size_t whole_chunks(std::size_t tokens) { return (tokens + kChunk - 1) / kChunk; }

}  // namespace schemamem::gdn
