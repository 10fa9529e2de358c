#pragma once

#include "models/mamba3/sizes.h"

namespace schemamem::mamba3 {

/// What a chunk's forward pass works in.
template <class T>
struct ForwardWork {
  T padded[kChunk * kWidth];
  T gated[kInner * kChunk];
  T written[kValue * kChunk];  // s v
  T leaving[kValue * kChunk];  // e^{c_last - c} s v
  T writes[kChunk * kValue];   // its transpose
  T angle[kHeads * kAngles];
};

/// What a chunk's backward pass works in; rows are [kChunk] as on the tape. d_state and d_angle travel from chunk to
/// chunk: the gradients with respect to the shifted state [H, N, P] and to the angle behind the chunk.
template <class T>
struct BackwardWork {
  static constexpr std::size_t kRow = kChunk;
  T d_state[kHeads * kState * kValue];
  T d_angle[kHeads * kAngles];
  T padded[kRow * kWidth];
  T d_y[kWidth * kRow];
  T gated[kInner * kRow];
  T d_o[kInner * kRow];
  T entering[kValue * kRow];          // e^c do
  T reads[kRow * kValue];             // its transpose
  T leaving[kValue * kRow];           // e^{c_last - c} v
  T d_score[kRow * kRow];             // (v_j . do_i) L_ij at row j, token i
  T d_score_written[kRow * kRow];     // the same times s_j
  T d_score_transposed[kRow * kRow];  // row i, token j
  T score_transposed[kRow * kRow];
  T d_query[kHeadsOfGroup * kState * kRow];
  T d_write_key[kHeadsOfGroup * kState * kRow];  // E^T v: the key's gradient before its strength
  T d_write_value[kValue * kRow];                // E k
  T d_projected[kRows * kRow];
  T d_turn[kHeads * kAngles * kRow];
  T read_dot[kHeads * kRow];       // do . P q
  T own_dot[kHeads * kRow];        // do . v
  T write_dot[kHeads * 2 * kRow];  // v^T E k, at kRow - 1 that of the token before the chunk
  T d_log[kRow];
  T closing[kHeads];  // <E, S^> at the chunk's end
};

/// Gradients of weights that every token adds to, one sum per lane; added up when the piece is done.
template <class T>
struct Sums {
  static constexpr std::size_t kRow = kChunk;
  T b_bias[kHeads * kState * kRow], c_bias[kHeads * kState * kRow];
  T b_norm[kState * kRow], c_norm[kState * kRow];
  T dt_bias[kHeads * kRow], d[kHeads * kRow];
};

/// What reaches single tokens of a chunk beside d_y: the gradient of the final state and the stillness term.
template <class T>
struct Extra {
  static constexpr std::size_t kRow = kChunk;
  T key[kHeads * kState * kRow];
  T value[kHeads * kValue * kRow];
  T own_write[kHeads * kRow];                                // gradient of gamma
  T read_dot[kHeads * kRow];                                 // <dS, P>
  T begin[kState * kValue], end[kState * kValue];            // states around a segment
  T change[kState * kValue];                                 // gradient of the state at a border
  T change_value[kState * kRow], change_key[kValue * kRow];  // its products with v and k
  T before[kRow], at[kRow];  // what a token's write weighs at the border: earlier tokens, the border's own
};

/// [H, R] is a whole number of vectors; the rate of the angles is padded to one.
template <class T>
struct StreamWork {
  static constexpr std::size_t kTokens = kChunk, kGatePad = 16, kRatePad = 32;
  T projected[kTokens * kRows];
  T gated[kTokens * kInner];
  T gate[kGatePad], softplus[kGatePad], sigmoid[kGatePad], rate[kRatePad];
  T cos[kHeads * kAngles], sin[kHeads * kAngles];
  T normed[kState], query[kState], key[kState], o[kValue];
};

/// Elements of T that one of them takes.
template <class T, template <class> class Work>
inline constexpr std::size_t kElements = sizeof(Work<T>) / sizeof(T);

}  // namespace schemamem::mamba3
