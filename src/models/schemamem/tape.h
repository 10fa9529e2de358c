#pragma once

#include "models/schemamem/engine.h"
#include "models/schemamem/shape.h"

namespace schemamem::SCHEMAMEM_ISA {

/// Activations of one layer, token-major. The names follow the spec's equations (docs/paper_map.md).
template <class T>
struct LayerActivations {
  T* h;                                   // H [T, D], the layer's input
  T *x, *inverse1;                        // X = RMSNorm_1(H)
  T *query, *read_powers, *read_inverse;  // X W_r, unnormalised P_r [T, M], 1 / row sum
  T* y;                                   // Y = X + R
  T *write_powers, *write_inverse;        // unnormalised P_w [T, M]
  T* xu;                                  // X + P_w V(E)
  T* af;                                  // [A | F] [T, 2D]
  T* g;                                   // pi tanh F [T, D]
  T* ug;   // [dU / row sum | G / row sum] [T, 2D]; the left half belongs to the backward pass
  T* qkv;  // rotated [q | k | v] [T, Q]
  T *packed_query, *probabilities, *packed_inverse;  // local attention, see kernels/local_attention.h
  T *h1, *z, *inverse2;                              // H + A W_o + F W_f and its norm
  T *gate_up, *act;                                  // [T, 2G], [T, G]
};

/// What a chunk's reads see: phi(E + S) [M, 2D], [K | V] [M, 2D], K^T [D, M].
template <class T>
struct Bank {
  const T *features, *bank, *keys_t;
  T key_norm;
};

/// One episode: forward writes, backward reads.
template <class T>
struct SchemaMemTape final : Tape<T> {
  explicit SchemaMemTape(ArenaPolicy policy) : arena(policy) {}
  bool guards_intact() const override { return arena.guards_intact(); }
  std::size_t bytes() const override { return arena.bytes(); }

  Arena arena;
  TapeSize capacity;
  LayerActivations<T>* layers = nullptr;
  T *last, *normed, *inverse_last;          // the last layer's output, its norm
  T *cosines, *sines;                       // rotation, [positions, heads * head_dim / 2]
  T *key_cosines, *key_sines;               // [positions, head_dim / 2]
  T *row_scratch, *key_norms, *padded_out;  // [T, lanes], [T], [T, O]

  // Per layer and chunk: banks of the chunks that follow a commit, and the increments that were committed.
  T *features, *banks, *increments;  // [layers][chunks][M * 2D], ..., [M * D]
  T *state, *keys_t;                 // S [M, D] of the layer at work; K^T of the chunk at work

  // The episode on the tape.
  Chunk* chunks = nullptr;
  std::size_t chunk_count = 0, tokens = 0;
  bool carry = false;
  T floor = 0;           // increments that were smaller are zero
  bool started = false;  // from a given state: the first chunk has a bank of its own
  std::uint32_t* answers = nullptr;
  std::size_t answer_count = 0;  // 0: every row answers
  T* answered;                   // [answers, D] rows of `normed` that answer
  const T* inputs = nullptr;
  std::size_t input_row = 0;
  std::size_t *packed_at = nullptr, *probabilities_at = nullptr, *inverse_at = nullptr;  // offsets of each chunk

  // Backward.
  T *d_h, *d_h1, *d_x, *d_y, *d_af, *d_qkv, *d_gate_up, *d_act, *d_out;
  T *d_rows, *offsets, *d_g;  // [T, D], [T], [T, D]
  T *packed_d_out, *d_scores;
  T *d_bank, *d_features, *d_state, *d_state_t, *values_t, *d_commit;

  // Of a commit that pulls: S [M, D] before it, per layer and chunk; of the chunk at work P, P dL/dP and what is kept
  // of each token [C, M]; [2, M]; [C].
  T *before, *pulls, *d_pulls, *kept, *slot_scratch, *pull_offsets;
};

/// What a stream needs besides its state: one open chunk's worth of rows, and the banks derived from S.
template <class T>
struct SchemaMemScratch final : Tape<T> {
  bool guards_intact() const override { return arena.guards_intact(); }
  std::size_t bytes() const override { return arena.bytes(); }

  Arena arena;
  LayerActivations<T> rows;  // of the layer at work
  T *next, *inverse_last, *cosines, *sines, *key_cosines, *key_sines, *row_scratch, *padded_out;
  T* pulls;  // P [T, M] of a commit that pulls
  struct Layer {
    T *features, *bank, *keys_t, *key_norms;
    T *last_read, *last_write;  // [M], the rows of P_r and P_w of the last token
    T *state, *pending;         // padded copies, unless the stream's own arrays can be used as they are
    T key_norm;
  };
  Layer* layers = nullptr;
  bool has_last = false;
};

}  // namespace schemamem::SCHEMAMEM_ISA
