#pragma once

#include <cmath>

#include "kernels/phasor.h"
#include "kernels/rms_norm.h"
#include "kernels/slot_pull.h"
#include "kernels/swiglu.h"
#include "models/schemamem/maps.h"

namespace schemamem::SCHEMAMEM_ISA {

/// Through SwiGLU, RMSNorm_2 and the two residuals: from d_next to d_h1 (which is d_h so far) and d_af.
template <class T, class Shape>
[[gnu::noinline]] void Engine<T, Shape>::mix_backward(const Weights& w, const Rows& a, std::size_t rows,
                                                      const T* d_next, SchemaMemTape<T>& t,
                                                      LayerGradients<T>& g) const {
  const auto D = s_.D;
  const auto G = s_.G;
  const auto both = times<2>(D);
  const auto gates = times<2>(G);
  prefetch<T>(a.qkv, rows * s_.Q);
  prefetch<T>(a.packed_query, local_packed_size<T>(s_.heads, s_.head_dim, rows));
  prefetch<T>(a.probabilities, local_probability_size<T>(s_.heads, rows));
  multiply<T>({d_next, D, 1}, {w.down_t, G}, t.d_act, G, rows, G, D);
  multiply_onto<T>({a.act, 1, G}, {d_next, D}, g.down, D, G, D, rows);
  swiglu_backward<T>(a.gate_up, t.d_act, t.d_gate_up, rows, G);
  multiply<T>({t.d_gate_up, gates, 1}, {w.gate_up_t, D}, t.d_rows, D, rows, D, gates);
  multiply_onto<T>({a.z, 1, D}, {t.d_gate_up, gates}, g.gate_up, gates, D, gates, rows);
  for (std::size_t i = 0; i < rows * D; i += kLanes<T>) store<T>(t.d_h1 + i, load<T>(d_next + i));
  rms_norm_backward<T>(a.h1, w.norm2, a.inverse2, t.d_rows, t.d_h1, g.norm2, rows, s_.width, D);
  multiply<T>({t.d_h1, D, 1}, {w.mix_t, both}, t.d_af, both, rows, both, D);
  multiply_onto<T>({a.af, 1, both}, {t.d_h1, D}, g.mix, D, both, D, rows);
}

/// Through local attention: from d_A to d_Y, which starts d_X (Y = X + R).
template <class T, class Shape>
[[gnu::noinline]] void Engine<T, Shape>::attend_backward(const Weights& w, const Rows& a, std::size_t rows,
                                                         SchemaMemTape<T>& t, LayerGradients<T>& g) const {
  const auto D = s_.D;
  const auto Q = s_.Q;
  const auto both = times<2>(D);
  const std::size_t width = s_.width, dim = s_.head_dim;
  prefetch<T>(a.y, rows * D);
  prefetch<T>(a.x, rows * D);
  prefetch<T>(a.query, rows * D);
  prefetch<T>(a.read_powers, rows * s_.M);
  local_attention_backward<T>(local_sizes(s_), rows,
                              {.keys = a.qkv + width,
                               .values = a.qkv + width + dim,
                               .key_row = Q,
                               .out = a.af,
                               .d_out = t.d_af,
                               .out_row = both,
                               .d_out_row = both,
                               .packed_query = a.packed_query,
                               .probabilities = a.probabilities,
                               .packed_inverse = a.packed_inverse,
                               .d_query = t.d_qkv,
                               .d_keys = t.d_qkv + width,
                               .d_values = t.d_qkv + width + dim,
                               .d_row = Q,
                               .packed_d_out = t.packed_d_out,
                               .d_scores = t.d_scores});
  const T scale = static_cast<T>(1 / std::sqrt(static_cast<double>(dim)));
  for (std::size_t i = 0; i < rows; ++i) {  // undo the rotation; the packed queries carry log2 e / sqrt(head_dim)
    T* const row = t.d_qkv + i * Q;
    rotate_row<T>(row, t.cosines + i * (width / 2), t.sines + i * (width / 2), width / 2, T(-1), scale);
    rotate_row<T>(row + width, t.key_cosines + i * (dim / 2), t.key_sines + i * (dim / 2), dim / 2, T(-1),
                  static_cast<T>(kLn2));
    for (std::size_t j = width + 2 * dim; j < Q; ++j) row[j] = 0;
  }
  multiply<T>({t.d_qkv, Q, 1}, {w.qkv_t, D}, t.d_y, D, rows, D, Q);
  multiply_onto<T>({a.y, 1, D}, {t.d_qkv, Q}, g.qkv, Q, D, Q, rows);
}

/// Through the read: from d_R = d_Y to d_X, W_r and the bank that was read.
template <class T, class Shape>
[[gnu::noinline]] void Engine<T, Shape>::read_backward(const Weights& w, const Bank<T>& bank, const Rows& a,
                                                       std::size_t rows, bool is_static, SchemaMemTape<T>& t,
                                                       LayerGradients<T>& g) const {
  const auto D = s_.D;
  const auto M = s_.M;
  const auto both = times<2>(D);
  prefetch<T>(a.write_powers, rows * M);
  prefetch<T>(a.ug, rows * both);
  prefetch<T>(a.xu, rows * D);
  prefetch<T>(a.g, rows * D);
  // offset = (d_R . R) / row sum, and d_R / row sum.
  row_sums<T>(
      rows, t.offsets,
      [&](std::size_t i) {
        Vec<T> sum{};
        const Vec<T> inverse = broadcast<T>(a.read_inverse[i]);
        for (std::size_t j = 0; j < D; j += kLanes<T>) {
          const std::size_t at = i * D + j;
          const Vec<T> scaled = load<T>(t.d_y + at) * inverse;
          store<T>(t.d_rows + at, scaled);
          sum = multiply_add<T>(scaled, load<T>(a.y + at) - load<T>(a.x + at), sum);
        }
        return sum;
      },
      [](Vec<T> sum, std::size_t) { return sum; });
  T* const d_bank = is_static ? g.bank : t.d_bank;
  const T* values_t = w.values_t;
  if (!is_static) {
    transpose<T>(bank.bank + D, both, M, D, t.values_t, M);
    values_t = t.values_t;
  }
  if (is_static) {
    multiply_onto<T>({a.read_powers, 1, M}, {t.d_rows, D}, d_bank + D, both, M, D, rows);
  } else {
    multiply<T>({a.read_powers, 1, M}, {t.d_rows, D}, d_bank + D, both, M, D, rows);
  }
  slot_score_gradient<T>(slot_sizes(s_), rows, {t.d_rows, D, values_t}, {nullptr, 0, nullptr}, t.offsets,
                         a.read_powers);
  const T* const d_scores = a.read_powers;
  // d_K = d_score^T query, with the natural query = query ln 2.
  const auto keys_finish = [&](auto& tile, std::size_t row, std::size_t column) {
    using Block = std::remove_reference_t<decltype(tile)>;
#pragma GCC unroll 16
    for (int i = 0; i < Block::kRows; ++i) {
#pragma GCC unroll 8
      for (int v = 0; v < Block::kVecs; ++v) {
        T* const at = d_bank + (row + i) * both + column + v * kLanes<T>;
        const Vec<T> natural = tile.sum[i][v] * static_cast<T>(kLn2);
        store<T>(at, is_static ? load<T>(at) + natural : natural);
      }
    }
  };
  product<T>({d_scores, 1, M}, {a.query, D}, M, D, rows, keys_finish);
  multiply<T>({d_scores, M, 1}, {bank.bank, both}, t.d_rows, D, rows, D, M);
  multiply_onto<T>({a.x, 1, D}, {t.d_rows, D}, g.read, D, D, D, rows);
  // d_X so far: d_Y + d_query W_r^T / sqrt d.
  product<T>({t.d_rows, D, 1}, {w.read_t, D}, rows, D, D, [&](auto& tile, std::size_t row, std::size_t column) {
    using Block = std::remove_reference_t<decltype(tile)>;
    for (int i = 0; i < Block::kRows; ++i) {
      for (int v = 0; v < Block::kVecs; ++v) {
        const std::size_t at = (row + i) * D + column + v * kLanes<T>;
        store<T>(t.d_x + at, tile.sum[i][v] + load<T>(t.d_y + at));
      }
    }
  });
}

/// Through phi, K and V of a chunk's own bank: adds to E, [W_K | W_V] and the gradient of S.
template <class T, class Shape>
[[gnu::noinline]] void Engine<T, Shape>::bank_backward(const Weights& w, const T* features, SchemaMemTape<T>& t,
                                                       LayerGradients<T>& g) const {
  const auto D = s_.D;
  const auto both = times<2>(D);
  multiply<T>({t.d_bank, both, 1}, {w.project_t, both}, t.d_features, both, s_.M, both, both);
  multiply_onto<T>({features, 1, both}, {t.d_bank, both}, g.project, both, both, both, s_.slots);
  phasor_backward<T>(features, t.d_features, g.schema, t.d_state, s_.M, D);
}

/// Through the write: from d_F (right half of d_af) and, after a commit, the gradient of dS (t.d_commit) to d_X,
/// W_Delta, the values that were seen and the address weights. `features` are those of the chunk's own bank, null if it
/// is the static one; a live writer adds to the gradient of that bank, which read_backward has begun.
template <class T, class Shape>
[[gnu::noinline]] void Engine<T, Shape>::write_backward(const Weights& w, const Rows& a, std::size_t rows,
                                                        bool committed, const T* features, const T* before,
                                                        SchemaMemTape<T>& t, LayerGradients<T>& g) const {
  const auto D = s_.D;
  const auto M = s_.M;
  const auto both = times<2>(D);
  T* const d_f = t.d_af + D;
  const bool sees_state = config_.live && features != nullptr;
  if (features != nullptr) prefetch<T>(features, M * both);
  const bool pulled = committed && config_.pulls;
  if (committed) transpose<T>(t.d_commit, D, M, D, t.d_state_t, M);
  if (pulled) {
    multiply<T>({a.g, D, 1}, {t.d_state_t, M}, t.d_pulls, M, rows, M, D);
    pull_backward<T>(rows, M, D,
                     {.powers = a.write_powers,
                      .inverse = a.write_inverse,
                      .state = before,
                      .d_change = t.d_commit,
                      .scores = t.d_pulls,
                      .kept = t.kept,
                      .along = t.slot_scratch,
                      .offset = t.pull_offsets,
                      .d_state = t.d_state});
  }
  if (committed) {  // d_G = P_w d_dS;  d_F += d_G pi (1 - tanh^2) = d_G (pi - G^2 / pi)
    product<T>({pulled ? t.kept : a.write_powers, M, 1}, {t.d_commit, D}, rows, D, M,
               [&](auto& tile, std::size_t row, std::size_t column) {
                 using Block = std::remove_reference_t<decltype(tile)>;
                 for (int i = 0; i < Block::kRows; ++i) {
                   const std::size_t token = row + i;
                   for (int v = 0; v < Block::kVecs; ++v) {
                     const std::size_t j = column + v * kLanes<T>;
                     const Vec<T> d_g = pulled ? tile.sum[i][v] : tile.sum[i][v] * a.write_inverse[token];
                     const Vec<T> gain = load<T>(a.g + token * D + j);
                     store<T>(t.d_g + token * D + j, d_g);
                     const Vec<T> slope = static_cast<T>(kPi) - gain * gain * static_cast<T>(1 / kPi);
                     store<T>(d_f + token * both + j, multiply_add<T>(d_g, slope, load<T>(d_f + token * both + j)));
                   }
                 }
               });
  }
  multiply_onto<T>({a.xu, 1, D}, {d_f, both}, g.delta, D, D, D, rows);
  product<T>({d_f, both, 1}, {w.delta_t, D}, rows, D, D, [&](auto& tile, std::size_t row, std::size_t column) {
    using Block = std::remove_reference_t<decltype(tile)>;
    for (int i = 0; i < Block::kRows; ++i) {
      const std::size_t token = row + i;
      for (int v = 0; v < Block::kVecs; ++v) {
        const std::size_t j = column + v * kLanes<T>;
        const Vec<T> d_u = tile.sum[i][v];
        store<T>(a.ug + token * both + j, d_u * a.write_inverse[token]);
        store<T>(t.d_x + token * D + j, load<T>(t.d_x + token * D + j) + d_u);
      }
    }
  });
  // offset = (d_U . U + G . d_G) / row sum.
  row_sums<T>(
      rows, t.offsets,
      [&](std::size_t i) {
        Vec<T> sum{};
        for (std::size_t j = 0; j < D; j += kLanes<T>) {
          const std::size_t at = i * D + j;
          sum = multiply_add<T>(load<T>(a.ug + i * both + j), load<T>(a.xu + at) - load<T>(a.x + at), sum);
          if (committed && !pulled) sum = multiply_add<T>(load<T>(a.ug + i * both + D + j), load<T>(t.d_g + at), sum);
        }
        return sum;
      },
      [](Vec<T> sum, std::size_t) { return sum; });
  for (std::size_t i = 0; pulled && i < rows; ++i) t.offsets[i] += t.pull_offsets[i] * a.write_inverse[i];
  multiply_onto<T>({a.write_powers, 1, M}, {a.ug, both}, (sees_state ? t.d_bank : g.bank) + D, both, M, D, rows);
  slot_score_gradient<T>(slot_sizes(s_), rows, {a.ug, both, sees_state ? t.values_t : w.values_t},
                         {committed && !pulled ? a.ug + D : nullptr, both, t.d_state_t}, t.offsets, a.write_powers,
                         pulled ? t.d_pulls : nullptr);
  const T* const d_scores = a.write_powers;
  multiply_onto<T>({d_scores, 1, M}, {a.x, D}, g.address, D, M, D, rows);
  multiply_onto<T>({d_scores, M, 1}, {w.address_rows, D}, t.d_x, D, rows, D, M);
}

template <class T, class Shape>
T Engine<T, Shape>::backward(const Folded<T>& folded, Tape<T>& tape, View<const T, 2> d_logits, T stillness,
                             GradientShard<T>& shard, const EpisodeGradients<T>& also) const {
  const auto& f = static_cast<const SchemaMemFolded<T>&>(folded);
  auto& t = static_cast<SchemaMemTape<T>&>(tape);
  auto& g = static_cast<SchemaMemShard<T>&>(shard);
  const auto D = s_.D;
  const auto M = s_.M;
  const auto both = times<2>(D);
  const std::size_t one_state = s_.slots * s_.width;
  output_backward(f, t, d_logits, g);

  double penalty = 0;
  const T per_element = T(1) / static_cast<T>(s_.slots * s_.width);
  for (std::size_t l = config_.layers; l-- > 0;) {
    const Weights& w = f.layers[l];
    LayerGradients<T>& d = g.layers[l];
    for (std::size_t i = 0; i < M * D; ++i) t.d_state[i] = 0;
    if (!also.state.empty()) copy_block<T>(also.state.data() + l * one_state, s_.slots, s_.width, t.d_state, D);
    for (std::size_t c = t.chunk_count; c-- > 0;) {
      const std::size_t begin = t.chunks[c].begin, rows = t.chunks[c].end - begin;
      Rows a = rows_from(t.layers[l], s_, begin);
      a.packed_query += t.packed_at[c];
      a.probabilities += t.probabilities_at[c];
      a.packed_inverse += t.inverse_at[c];
      const bool committed = t.carry && t.chunks[c].commit;
      const bool is_static = !t.carry || (c == 0 && !t.started);
      const std::size_t slot = l * t.capacity.chunks + c;
      T* const d_h = t.d_h + begin * D;
      mix_backward(w, a, rows, d_h, t, d);
      attend_backward(w, a, rows, t, d);
      if (committed) {  // the state's gradient so far is that of this chunk's increment
        const bool still = stillness > 0 && t.chunks[c].read_segment;
        const T* const increment = t.increments + slot * M * D;
        const Vec<T> pull = broadcast<T>(still ? 2 * stillness * per_element : T(0));
        for (std::size_t i = 0; i < M * D; i += kLanes<T>) {
          store<T>(t.d_commit + i, multiply_add<T>(load<T>(increment + i), pull, load<T>(t.d_state + i)));
        }
        if (t.floor > 0) keep_where<T>(increment, t.d_commit, M * D);  // what was dropped has no influence
        if (still) {
          double squares = 0;
          for (std::size_t i = 0; i < M * D; ++i)
            squares += static_cast<double>(increment[i]) * static_cast<double>(increment[i]);
          penalty += squares * static_cast<double>(per_element);
        }
      }
      const Bank<T> bank = is_static ? Bank<T>{w.features, w.bank, w.keys_t, w.key_norm}
                                     : Bank<T>{t.features + slot * M * both, t.banks + slot * M * both, nullptr, 0};
      read_backward(w, bank, a, rows, is_static, t, d);
      write_backward(w, a, rows, committed, is_static ? nullptr : bank.features, t.before + slot * M * D, t, d);
      if (!is_static) bank_backward(w, bank.features, t, d);
      for (std::size_t i = 0; i < rows * D; i += kLanes<T>) store<T>(d_h + i, load<T>(t.d_h1 + i));
      rms_norm_backward<T>(a.h, w.norm1, a.inverse1, t.d_x, d_h, d.norm1, rows, s_.width, D);
    }
    for (std::size_t m = 0; !also.state.empty() && m < s_.slots; ++m)
      copy_block<T>(t.d_state + m * D, 1, s_.width, also.state.data() + l * one_state + m * s_.width, s_.width);
  }
  input_backward(f, t, g, also.x);
  return static_cast<T>(penalty);
}

}  // namespace schemamem::SCHEMAMEM_ISA
