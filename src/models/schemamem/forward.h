#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/phasor.h"
#include "kernels/rms_norm.h"
#include "kernels/slot_pull.h"
#include "kernels/swiglu.h"
#include "models/schemamem/maps.h"

namespace schemamem::SCHEMAMEM_ISA {

template <class T, class Shape>
void Engine<T, Shape>::take_rows(Arena& arena, Rows& a, std::size_t tokens, std::size_t chunks) const {
  const std::size_t D = s_.D, M = s_.M;
  a.h = arena.take<T>(tokens * D);
  a.x = arena.take<T>(tokens * D);
  a.inverse1 = arena.take<T>(tokens);
  a.query = arena.take<T>(tokens * D);
  a.read_powers = arena.take<T>(tokens * M);
  a.read_inverse = arena.take<T>(tokens);
  a.y = arena.take<T>(tokens * D);
  a.write_powers = arena.take<T>(tokens * M);
  a.write_inverse = arena.take<T>(tokens);
  a.xu = arena.take<T>(tokens * D);
  a.af = arena.take<T>(tokens * 2 * D);
  a.g = arena.take<T>(tokens * D);
  a.ug = arena.take<T>(tokens * 2 * D);
  a.qkv = arena.take<T>(tokens * s_.Q);
  a.h1 = arena.take<T>(tokens * D);
  a.z = arena.take<T>(tokens * D);
  a.inverse2 = arena.take<T>(tokens);
  a.gate_up = arena.take<T>(tokens * 2 * s_.G);
  a.act = arena.take<T>(tokens * s_.G);
  if (chunks == 0) {  // a stream keeps nothing for a backward pass
    a.packed_query = a.packed_inverse = nullptr;
    a.probabilities = arena.take<T>(tokens * kLanes<T>);
    return;
  }
  // A chunk's last register may be partly empty; one long chunk has the most probabilities.
  const std::size_t slack = chunks * LocalBlocks::of<T>(s_.heads).tokens;
  a.packed_query = arena.take<T>(local_packed_size<T>(s_.heads, s_.head_dim, tokens + slack));
  a.probabilities = arena.take<T>(local_probability_size<T>(s_.heads, tokens + slack));
  a.packed_inverse = arena.take<T>(local_packed_size<T>(s_.heads, 1, tokens + slack));
}

/// The same activations from a later token on. What local attention keeps is addressed by chunk, not by token.
template <class T, class Shape>
LayerActivations<T> Engine<T, Shape>::rows_from(const Rows& a, const Shape& s, std::size_t t) {
  Rows r = a;
  for (T** const wide : {&r.h, &r.x, &r.query, &r.y, &r.xu, &r.g, &r.h1, &r.z}) *wide += t * s.D;
  for (T** const number : {&r.inverse1, &r.read_inverse, &r.write_inverse, &r.inverse2}) *number += t;
  for (T** const twice : {&r.af, &r.ug}) *twice += t * 2 * s.D;
  for (T** const slots : {&r.read_powers, &r.write_powers}) *slots += t * s.M;
  r.qkv += t * s.Q;
  r.gate_up += t * 2 * s.G;
  r.act += t * s.G;
  return r;
}

template <class T, class Shape>
void Engine<T, Shape>::lay_out(SchemaMemTape<T>& t) const {
  const std::size_t D = s_.D, M = s_.M, tokens = t.capacity.tokens, chunks = t.capacity.chunks, layers = config_.layers;
  Arena& arena = t.arena;
  t.layers = arena.take<Rows>(layers);
  for (std::size_t i = 0; i < layers; ++i) {
    Rows ignored;
    take_rows(arena, t.layers == nullptr ? ignored : t.layers[i], tokens, chunks);
  }
  t.last = arena.take<T>(tokens * D);
  t.normed = arena.take<T>(tokens * D);
  t.inverse_last = arena.take<T>(tokens);
  const std::size_t pairs = s_.width / 2;
  t.cosines = arena.take<T>(tokens * pairs);
  t.sines = arena.take<T>(tokens * pairs);
  t.key_cosines = arena.take<T>(tokens * s_.head_dim / 2);
  t.key_sines = arena.take<T>(tokens * s_.head_dim / 2);
  t.row_scratch = arena.take<T>(tokens * kLanes<T>);
  t.key_norms = arena.take<T>(tokens);
  t.padded_out = arena.take<T>(tokens * outputs_);
  t.answers = arena.take<std::uint32_t>(tokens);
  t.answered = arena.take<T>(tokens * D);
  t.features = arena.take<T>(layers * chunks * M * 2 * D);
  t.banks = arena.take<T>(layers * chunks * M * 2 * D);
  t.increments = arena.take<T>(layers * chunks * M * D);
  t.state = arena.take<T>(M * D);
  t.keys_t = arena.take<T>(D * M);
  t.chunks = arena.take<Chunk>(chunks);
  t.packed_at = arena.take<std::size_t>(chunks);
  t.probabilities_at = arena.take<std::size_t>(chunks);
  t.inverse_at = arena.take<std::size_t>(chunks);

  t.d_h = arena.take<T>(tokens * D);
  t.d_h1 = arena.take<T>(tokens * D);
  t.d_x = arena.take<T>(tokens * D);
  t.d_y = arena.take<T>(tokens * D);
  t.d_af = arena.take<T>(tokens * 2 * D);
  t.d_qkv = arena.take<T>(tokens * s_.Q);
  t.d_gate_up = arena.take<T>(tokens * 2 * s_.G);
  t.d_act = arena.take<T>(tokens * s_.G);
  t.d_out = arena.take<T>(tokens * outputs_);
  t.d_rows = arena.take<T>(tokens * D);
  t.offsets = arena.take<T>(tokens);
  t.d_g = arena.take<T>(tokens * D);
  t.packed_d_out = arena.take<T>(local_packed_size<T>(s_.heads, s_.head_dim, tokens));
  t.d_scores = arena.take<T>(local_probability_size<T>(s_.heads, tokens));
  t.d_bank = arena.take<T>(M * 2 * D);
  t.d_features = arena.take<T>(M * 2 * D);
  t.d_state = arena.take<T>(M * D);
  t.d_commit = arena.take<T>(M * D);
  t.d_state_t = arena.take<T>(D * M);
  t.values_t = arena.take<T>(D * M);

  const std::size_t pulled = config_.pulls ? std::min(tokens, config_.commit_every) : 0;
  t.before = arena.take<T>(config_.pulls ? layers * chunks * M * D : 0);
  for (T** const of_chunk : {&t.pulls, &t.d_pulls, &t.kept}) *of_chunk = arena.take<T>(pulled * M);
  t.slot_scratch = arena.take<T>(config_.pulls ? 2 * M : 0);
  t.pull_offsets = arena.take<T>(pulled);
}

template <class T, class Shape>
std::unique_ptr<Tape<T>> Engine<T, Shape>::make_tape(TapeSize size, ArenaPolicy policy) const {
  auto tape = std::make_unique<SchemaMemTape<T>>(policy);
  tape->capacity = size;
  lay_out(*tape);
  tape->arena.allocate();
  lay_out(*tape);
  fill_rotation(size.tokens, tape->cosines, tape->sines, tape->key_cosines, tape->key_sines);
  return tape;
}

template <class T, class Shape>
void Engine<T, Shape>::fill_rotation(std::size_t positions, T* cosines, T* sines, T* key_cosines, T* key_sines) const {
  const std::size_t half = s_.head_dim / 2, heads = s_.heads;
  for (std::size_t i = 0; i < half; ++i) {
    const double rate = std::pow(10000.0, -static_cast<double>(i) / static_cast<double>(half));
    for (std::size_t p = 0; p < positions; ++p) {
      const T c = static_cast<T>(std::cos(rate * static_cast<double>(p)));
      const T s = static_cast<T>(std::sin(rate * static_cast<double>(p)));
      key_cosines[p * half + i] = c;
      key_sines[p * half + i] = s;
      for (std::size_t h = 0; h < heads; ++h) {
        cosines[(p * half + i) * heads + h] = c;
        sines[(p * half + i) * heads + h] = s;
      }
    }
  }
}

/// P_w, X + P_w V(E), F, G = pi tanh F and G / (row sum of P_w): everything a write needs, from X alone. A live writer
/// takes V(E + S), the values of the bank that is read, instead of V(E).
template <class T, class Shape>
[[gnu::noinline]] void Engine<T, Shape>::write_rows(const Weights& w, const Bank<T>& bank, const Rows& a,
                                                    std::size_t rows, T* scratch) const {
  const auto D = s_.D;
  const auto both = times<2>(D);
  slot_attention_forward<T>(slot_sizes(s_), rows,
                            {.query = a.x,
                             .keys_t = w.address,
                             .key_norm = w.address_norm,
                             .values = (config_.live ? bank.bank : w.bank) + D,
                             .value_row = both,
                             .addend = a.x,
                             .powers = a.write_powers,
                             .inverse = a.write_inverse,
                             .out = a.xu,
                             .scratch = scratch,
                             .nowhere = config_.pulls});
  product<T>({a.xu, D, 1}, {w.delta, D}, rows, D, D, [&](auto& tile, std::size_t row, std::size_t column) {
    using Block = std::remove_reference_t<decltype(tile)>;
    for (int i = 0; i < Block::kRows; ++i) {
      const std::size_t t = row + i;
      for (int v = 0; v < Block::kVecs; ++v) {
        const std::size_t j = column + v * kLanes<T>;
        const Vec<T> f = tile.sum[i][v];
        const Vec<T> g = hyperbolic_tangent<T>(f) * static_cast<T>(kPi);
        store<T>(a.af + t * both + D + j, f);
        store<T>(a.g + t * D + j, g);
        store<T>(a.ug + t * both + D + j, g * a.write_inverse[t]);
      }
    }
  });
}

/// P_r and Y = X + P_r V(E + S).
template <class T, class Shape>
[[gnu::noinline]] void Engine<T, Shape>::read_rows(const Weights& w, const Bank<T>& bank, const Rows& a,
                                                   std::size_t rows, T* scratch) const {
  const auto D = s_.D;
  multiply<T>({a.x, D, 1}, {w.read, D}, a.query, D, rows, D, D);
  slot_attention_forward<T>(slot_sizes(s_), rows,
                            {.query = a.query,
                             .keys_t = bank.keys_t,
                             .key_norm = bank.key_norm,
                             .values = bank.bank + D,
                             .value_row = times<2>(D),
                             .addend = a.x,
                             .powers = a.read_powers,
                             .inverse = a.read_inverse,
                             .out = a.y,
                             .scratch = scratch});
}

/// Causal attention inside the chunk: A, the left half of `af`.
template <class T, class Shape>
[[gnu::noinline]] void Engine<T, Shape>::attend_rows(const Weights& w, const Rows& a, std::size_t rows,
                                                     const LocalPiece& piece) const {
  const auto D = s_.D;
  const auto Q = s_.Q;
  const std::size_t width = s_.width, dim = s_.head_dim;
  multiply<T>({a.y, D, 1}, {w.qkv, Q}, a.qkv, Q, rows, Q, D);
  const T scale = static_cast<T>(kLog2e / std::sqrt(static_cast<double>(dim)));
  for (std::size_t t = 0; t < rows; ++t) {
    T* const row = a.qkv + t * Q;
    rotate_row<T>(row, piece.cosines + t * (width / 2), piece.sines + t * (width / 2), width / 2, T(1), scale);
    rotate_row<T>(row + width, piece.key_cosines + t * (dim / 2), piece.key_sines + t * (dim / 2), dim / 2, T(1), T(1));
    if (piece.keys_to != nullptr) {
      for (std::size_t e = 0; e < dim; ++e) {
        piece.keys_to[t * dim + e] = row[width + e];
        piece.values_to[t * dim + e] = row[width + dim + e];
      }
    }
    // Attention writes `width` entries; the padding behind them meets zero weights, but must be finite for that.
    for (std::size_t j = width; j < D; ++j) a.af[t * times<2>(D) + j] = 0;
  }
  local_attention_forward<T>(local_sizes(s_), rows,
                             {.query = a.qkv,
                              .query_row = Q,
                              .keys = piece.keys,
                              .values = piece.values,
                              .key_row = piece.key_row,
                              .offset = piece.offset,
                              .out = a.af,
                              .out_row = times<2>(D),
                              .key_norms = piece.key_norms,
                              .probabilities = a.probabilities,
                              .packed_query = a.packed_query,
                              .packed_inverse = a.packed_inverse});
}

/// H1 = H + [A | F] [W_o ; W_f];  next = H1 + SwiGLU(RMSNorm_2(H1)).
template <class T, class Shape>
[[gnu::noinline]] void Engine<T, Shape>::mix_rows(const Weights& w, const Rows& a, std::size_t rows, T* next) const {
  const auto D = s_.D;
  const auto G = s_.G;
  const auto both = times<2>(D);
  const auto add_to = [&](const T* base, T* to) {
    return [this, base, to](auto& tile, std::size_t row, std::size_t column) {
      using Block = std::remove_reference_t<decltype(tile)>;
      for (int i = 0; i < Block::kRows; ++i) {
        for (int v = 0; v < Block::kVecs; ++v) {
          const std::size_t at = (row + i) * s_.D + column + v * kLanes<T>;
          store<T>(to + at, tile.sum[i][v] + load<T>(base + at));
        }
      }
    };
  };
  product<T>({a.af, both, 1}, {w.mix, D}, rows, D, both, add_to(a.h, a.h1));
  rms_norm_forward<T>(a.h1, w.norm2, a.z, a.inverse2, rows, s_.width, D, static_cast<T>(kSchemaMemNormEps));
  multiply<T>({a.z, D, 1}, {w.gate_up, times<2>(G)}, a.gate_up, times<2>(G), rows, times<2>(G), D);
  swiglu_forward<T>(a.gate_up, a.act, rows, G);
  product<T>({a.act, G, 1}, {w.down, D}, rows, D, G, add_to(a.h1, next));
}

/// dS of rows that pull, added to that of the rows before them in the chunk.
template <class T, class Shape>
void Engine<T, Shape>::pull_rows(const Rows& a, std::size_t rows, const T* state, T* weights, T* increment) const {
  pull_weights<T>(a.write_powers, a.write_inverse, rows, s_.M, weights);
  pull_forward<T>(rows, s_.M, s_.D, {.weights = weights, .written = a.g, .state = state, .pending = increment});
}

/// S <- (S + dS) mod 2 pi, or the nearest of the phases that a state can take. The gradient passes through either.
template <class T, class Shape>
void Engine<T, Shape>::commit_state(T* state, const T* increment) const {
  if (config_.phases > 0) {
    commit_places<T>(state, increment, s_.M * s_.D, static_cast<double>(config_.phases));
  } else {
    commit_phases<T>(state, increment, s_.M * s_.D);
  }
}

template <class T, class Shape>
void Engine<T, Shape>::forward(const Folded<T>& folded, const ChunkedEpisode<T>& episode, Tape<T>& tape,
                               View<T, 2> logits) const {
  const auto& f = static_cast<const SchemaMemFolded<T>&>(folded);
  auto& t = static_cast<SchemaMemTape<T>&>(tape);
  const auto D = s_.D;
  const auto M = s_.M;
  const auto both = times<2>(D);
  const std::span<const Chunk> chunks = episode.chunks;
  const std::size_t one_state = s_.slots * s_.width;
  t.tokens = episode.x.extent(0);
  t.chunk_count = chunks.size();
  t.carry = episode.carry;
  t.floor = episode.floor;
  t.started = !episode.initial.empty();
  t.inputs = episode.x.data();
  t.input_row = episode.x.stride(0);
  t.answer_count = episode.answers.size();
  for (std::size_t i = 0; i < t.answer_count; ++i) t.answers[i] = episode.answers[i];
  const LocalBlocks blocks = LocalBlocks::of<T>(s_.heads);
  std::size_t packed = 0, probabilities = 0, inverse = 0;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    t.chunks[c] = chunks[c];
    t.packed_at[c] = packed;
    t.probabilities_at[c] = probabilities;
    t.inverse_at[c] = inverse;
    const std::size_t rows = chunks[c].end - chunks[c].begin;
    packed += local_packed_size<T>(s_.heads, s_.head_dim, rows);
    probabilities += local_probability_size<T>(s_.heads, rows);
    inverse += blocks.groups * blocks.count(rows) * kLanes<T>;
  }
  input_rows(f, t.inputs, t.input_row, t.tokens, t.layers[0].h);
  for (std::size_t l = 0; l < config_.layers; ++l) {
    const Weights& w = f.layers[l];
    T* const next = l + 1 < config_.layers ? t.layers[l + 1].h : t.last;
    const Bank<T> static_bank{w.features, w.bank, w.keys_t, w.key_norm};
    Bank<T> bank = static_bank;
    for (std::size_t i = 0; i < M * D; ++i) t.state[i] = 0;
    if (t.started) {
      copy_block<T>(episode.initial.data() + l * one_state, s_.slots, s_.width, t.state, D);
      const std::size_t slot = l * t.capacity.chunks;
      T* const features = t.features + slot * M * both;
      T* const first_bank = t.banks + slot * M * both;
      bank = {features, first_bank, t.keys_t, build_bank(w, t.state, features, first_bank, t.keys_t)};
    }
    for (std::size_t c = 0; c < chunks.size(); ++c) {
      const std::size_t begin = chunks[c].begin, rows = chunks[c].end - begin;
      Rows a = rows_from(t.layers[l], s_, begin);
      a.packed_query += t.packed_at[c];
      a.probabilities += t.probabilities_at[c];
      a.packed_inverse += t.inverse_at[c];
      rms_norm_forward<T>(a.h, w.norm1, a.x, a.inverse1, rows, s_.width, D, static_cast<T>(kSchemaMemNormEps));
      write_rows(w, bank, a, rows, t.row_scratch);
      read_rows(w, bank, a, rows, t.row_scratch);
      attend_rows(w, a, rows,
                  {.keys = a.qkv + s_.width,
                   .values = a.qkv + s_.width + s_.head_dim,
                   .key_row = s_.Q,
                   .offset = 0,
                   .key_norms = t.key_norms,
                   .cosines = t.cosines,
                   .sines = t.sines,
                   .key_cosines = t.key_cosines,
                   .key_sines = t.key_sines});
      mix_rows(w, a, rows, next + begin * D);
      if (!t.carry || !chunks[c].commit) continue;
      // dS = P_w^T [pi tanh F], summed token by token; the bank of the next chunk.
      const std::size_t slot = l * t.capacity.chunks + c;
      T* const increment = t.increments + slot * M * D;
      if (config_.pulls) {
        T* const before = t.before + slot * M * D;
        for (std::size_t i = 0; i < M * D; i += kLanes<T>) {
          store<T>(before + i, load<T>(t.state + i));
          store<T>(increment + i, Vec<T>{});
        }
        pull_rows(a, rows, before, t.pulls, increment);
      } else {
        multiply<T>({a.write_powers, 1, M}, {a.ug + D, both}, increment, D, M, D, rows);
      }
      if (t.floor > 0) drop_below<T>(t.floor, increment, M * D);
      commit_state(t.state, increment);
      if (c + 1 == chunks.size()) continue;
      T* const features = t.features + (slot + 1) * M * both;
      T* const next_bank = t.banks + (slot + 1) * M * both;
      bank = {features, next_bank, t.keys_t, build_bank(w, t.state, features, next_bank, t.keys_t)};
    }
    for (std::size_t m = 0; !episode.final.empty() && m < s_.slots; ++m)
      copy_block<T>(t.state + m * D, 1, s_.width, episode.final.data() + l * one_state + m * s_.width, s_.width);
  }
  output_of_tape(f, t, logits);
}

}  // namespace schemamem::SCHEMAMEM_ISA
