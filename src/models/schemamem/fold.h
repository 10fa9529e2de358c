#pragma once

#include <cmath>

#include "kernels/phasor.h"
#include "models/schemamem/maps.h"

namespace schemamem::SCHEMAMEM_ISA {

/// Copies [rows, columns] transposed: to[j, i] = from[i, j] * scale.
template <class T>
inline void copy_transposed(const T* from, std::size_t rows, std::size_t columns, T* to, std::size_t to_row,
                            T scale = 1) {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) to[j * to_row + i] = from[i * columns + j] * scale;
  }
}
/// Calls f(natural, feature_major) for every entry of a row of queries: h * head_dim + e and e * heads + h.
template <class F>
inline void for_query_features(std::size_t heads, std::size_t head_dim, const F& f) {
  for (std::size_t h = 0; h < heads; ++h) {
    for (std::size_t e = 0; e < head_dim; ++e) f(h * head_dim + e, e * heads + h);
  }
}

template <class T, class Shape>
void Engine<T, Shape>::lay_out(SchemaMemFolded<T>& f) const {
  const std::size_t D = s_.D, M = s_.M, Q = s_.Q, G = s_.G;
  Arena& arena = f.arena;
  f.layers = arena.take<Weights>(config_.layers);
  const std::size_t maps = config_.bare ? 0 : 1;
  f.input = arena.take<T>(maps * config_.inputs * D);
  f.bias = arena.take<T>(maps * D);
  f.final_norm = arena.take<T>(maps * D);
  f.output = arena.take<T>(D * outputs_);
  f.output_t = arena.take<T>(maps * config_.outputs * D);
  for (std::size_t i = 0; i < config_.layers; ++i) {
    Weights ignored;
    Weights& w = f.layers == nullptr ? ignored : f.layers[i];
    w.norm1 = arena.take<T>(D);
    w.norm2 = arena.take<T>(D);
    w.read = arena.take<T>(D * D);
    w.read_t = arena.take<T>(D * D);
    w.schema = arena.take<T>(M * D);
    w.features = arena.take<T>(M * 2 * D);
    w.bank = arena.take<T>(M * 2 * D);
    w.keys_t = arena.take<T>(D * M);
    w.values_t = arena.take<T>(D * M);
    w.address = arena.take<T>(D * M);
    w.address_rows = arena.take<T>(M * D);
    w.write = arena.take<T>(D * D);
    w.project = arena.take<T>(4 * D * D);
    w.project_t = arena.take<T>(4 * D * D);
    w.delta = arena.take<T>(D * D);
    w.delta_t = arena.take<T>(D * D);
    w.qkv = arena.take<T>(D * Q);
    w.qkv_t = arena.take<T>(Q * D);
    w.mix = arena.take<T>(2 * D * D);
    w.mix_t = arena.take<T>(2 * D * D);
    w.gate_up = arena.take<T>(D * 2 * G);
    w.gate_up_t = arena.take<T>(2 * G * D);
    w.down = arena.take<T>(G * D);
    w.down_t = arena.take<T>(D * G);
  }
}

template <class T, class Shape>
std::unique_ptr<Folded<T>> Engine<T, Shape>::make_folded() const {
  auto folded = std::make_unique<SchemaMemFolded<T>>();
  lay_out(*folded);
  folded->arena.allocate();
  lay_out(*folded);
  return folded;
}

template <class T, class Shape>
void Engine<T, Shape>::lay_out(SchemaMemShard<T>& shard) const {
  const std::size_t D = s_.D, M = s_.M, Q = s_.Q, G = s_.G;
  Arena& arena = shard.arena;
  shard.layers = arena.take<LayerGradients<T>>(config_.layers);
  shard.d_features = arena.take<T>(M * 2 * D);
  shard.d_bank = arena.take<T>(M * 2 * D);
  const std::size_t layer =
      2 * D + D * D + M * D + M * 2 * D + M * D + 4 * D * D + D * D + D * Q + 2 * D * D + D * 2 * G + G * D;
  const std::size_t maps = config_.bare ? 0 : 1;
  shard.size = config_.layers * layer + maps * (config_.inputs * D + 2 * D) + D * outputs_;
  shard.all = arena.take<T>(shard.size);
  if (shard.all == nullptr) return;
  T* next = shard.all;
  const auto take = [&](std::size_t count) {
    T* const block = next;
    next += count;
    return block;
  };
  shard.input = take(maps * config_.inputs * D);
  shard.bias = take(maps * D);
  shard.final_norm = take(maps * D);
  shard.output = take(D * outputs_);
  for (std::size_t i = 0; i < config_.layers; ++i) {
    LayerGradients<T>& d = shard.layers[i];
    d.norm1 = take(D);
    d.norm2 = take(D);
    d.read = take(D * D);
    d.schema = take(M * D);
    d.bank = take(M * 2 * D);
    d.address = take(M * D);
    d.project = take(4 * D * D);
    d.delta = take(D * D);
    d.qkv = take(D * Q);
    d.mix = take(2 * D * D);
    d.gate_up = take(D * 2 * G);
    d.down = take(G * D);
  }
}

template <class T, class Shape>
std::unique_ptr<GradientShard<T>> Engine<T, Shape>::make_shard() const {
  auto shard = std::make_unique<SchemaMemShard<T>>();
  lay_out(*shard);
  shard->arena.allocate();
  lay_out(*shard);
  return shard;
}

template <class T, class Shape>
void Engine<T, Shape>::fold(View<const T, 1> weights, Folded<T>& folded) const {
  auto& f = static_cast<SchemaMemFolded<T>&>(folded);
  const T* const from = weights.data();
  const std::size_t width = s_.width;
  for (std::size_t i = 0; i < config_.layers; ++i) fold_layer(from + i * places_.layer_size, f.layers[i]);
  if (config_.bare) return;
  copy_block<T>(from + places_.input, config_.inputs, width, f.input, s_.D);
  copy_block<T>(from + places_.bias, 1, width, f.bias, s_.D);
  copy_block<T>(from + places_.final_norm, 1, width, f.final_norm, s_.D);
  copy_block<T>(from + places_.output, width, config_.outputs, f.output, outputs_);
  copy_transposed<T>(from + places_.output, width, config_.outputs, f.output_t, s_.D);
}

template <class T, class Shape>
void Engine<T, Shape>::fold_layer(const T* from, Weights& w) const {
  const auto D = s_.D;
  const auto M = s_.M;
  const std::size_t d = s_.width, Q = s_.Q, G = s_.G, heads = s_.heads, dim = s_.head_dim, hidden = s_.hidden;
  const T root = static_cast<T>(1 / std::sqrt(static_cast<double>(d)));
  const T base2 = static_cast<T>(kLog2e / std::sqrt(static_cast<double>(d)));
  copy_block<T>(from + places_.norm1, 1, d, w.norm1, D);
  copy_block<T>(from + places_.norm2, 1, d, w.norm2, D);
  copy_block<T>(from + places_.w_r, d, d, w.read, D, base2);
  copy_transposed<T>(from + places_.w_r, d, d, w.read_t, D, root);
  copy_block<T>(from + places_.w_w, d, d, w.write, D);
  copy_block<T>(from + places_.schema, s_.slots, d, w.schema, D);
  for (std::size_t half = 0; half < 2; ++half) {  // rows of cosines, rows of sines
    const std::size_t source = half * d * d;
    copy_block<T>(from + places_.w_k + source, d, d, w.project + half * D * 2 * D, 2 * D);
    copy_block<T>(from + places_.w_v + source, d, d, w.project + half * D * 2 * D + D, 2 * D);
  }
  transpose<T>(w.project, 2 * D, 2 * D, 2 * D, w.project_t, 2 * D);
  copy_block<T>(from + places_.w_delta, d, d, w.delta, D);
  copy_transposed<T>(from + places_.w_delta, d, d, w.delta_t, D);
  for_query_features(heads, dim, [&](std::size_t natural, std::size_t at) {
    for (std::size_t i = 0; i < d; ++i) {
      w.qkv[i * Q + at] = w.qkv_t[at * D + i] = from[places_.attn_q + i * d + natural];
      w.mix[at * D + i] = w.mix_t[i * 2 * D + at] = from[places_.attn_o + natural * d + i];
    }
  });
  copy_block<T>(from + places_.attn_k, d, dim, w.qkv + d, Q);
  copy_block<T>(from + places_.attn_v, d, dim, w.qkv + d + dim, Q);
  copy_transposed<T>(from + places_.attn_k, d, dim, w.qkv_t + d * D, D);
  copy_transposed<T>(from + places_.attn_v, d, dim, w.qkv_t + (d + dim) * D, D);
  copy_block<T>(from + places_.w_f, d, d, w.mix + D * D, D);
  copy_transposed<T>(from + places_.w_f, d, d, w.mix_t + D, 2 * D);
  copy_block<T>(from + places_.gate, d, hidden, w.gate_up, 2 * G);
  copy_block<T>(from + places_.up, d, hidden, w.gate_up + G, 2 * G);
  copy_transposed<T>(from + places_.gate, d, hidden, w.gate_up_t, D);
  copy_transposed<T>(from + places_.up, d, hidden, w.gate_up_t + G * D, D);
  copy_block<T>(from + places_.down, hidden, d, w.down, D);
  copy_transposed<T>(from + places_.down, hidden, d, w.down_t, G);

  w.key_norm = build_bank(w, nullptr, w.features, w.bank, w.keys_t);
  transpose<T>(w.bank + D, 2 * D, M, D, w.values_t, M);
  // W_w K(E)^T: the writer's scores need no query of their own.
  multiply<T>({w.write, D, 1}, {w.keys_t, M}, w.address, M, D, M, D);
  transpose<T>(w.address, M, D, M, w.address_rows, D);
  for (std::size_t i = 0; i < D * M; ++i) {
    w.address[i] *= base2;
    w.address_rows[i] *= root;
  }
  w.address_norm = largest_column(w.address);
}

template <class T, class Shape>
T Engine<T, Shape>::largest_column(const T* matrix_t) const {
  T largest = std::numeric_limits<T>::min();
  for (std::size_t m = 0; m < s_.M; m += kLanes<T>) {
    Vec<T> squares{};
    for (std::size_t j = 0; j < s_.D; ++j) {
      const Vec<T> v = load<T>(matrix_t + j * s_.M + m);
      squares = multiply_add<T>(v, v, squares);
    }
    const T here = horizontal_max<T>(squares);
    largest = here > largest || here != here ? here : largest;
  }
  return std::sqrt(largest);
}

template <class T, class Shape>
T Engine<T, Shape>::build_bank(const Weights& w, const T* state, T* features, T* bank, T* keys_t) const {
  phasor_features<T>(w.schema, state, features, s_.M, s_.D);
  const auto both = times<2>(s_.D);
  multiply<T>({features, both, 1}, {w.project, both}, bank, both, s_.M, both, both);
  transpose<T>(bank, both, s_.M, s_.D, keys_t, s_.M);
  return largest_column(keys_t);
}

template <class T, class Shape>
void Engine<T, Shape>::unfold(const Folded<T>& folded, std::span<GradientShard<T>* const> shards,
                              View<T, 1> d_weights) const {
  const auto& f = static_cast<const SchemaMemFolded<T>&>(folded);
  auto& sum = static_cast<SchemaMemShard<T>&>(*shards[0]);
  for (std::size_t k = 1; k < shards.size(); ++k) {
    const T* const part = static_cast<const SchemaMemShard<T>&>(*shards[k]).all;
    for (std::size_t i = 0; i < sum.size; ++i) sum.all[i] += part[i];
  }
  T* const to = d_weights.data();
  const std::size_t d = s_.width, D = s_.D;
  for (std::size_t i = 0; i < config_.layers; ++i) {
    unfold_layer(f.layers[i], sum, sum.layers[i], to + i * places_.layer_size);
  }
  if (config_.bare) return;
  for (std::size_t i = 0; i < config_.inputs; ++i)
    copy_block<T>(sum.input + i * D, 1, d, to + places_.input + i * d, d);
  copy_block<T>(sum.bias, 1, d, to + places_.bias, d);
  copy_block<T>(sum.final_norm, 1, d, to + places_.final_norm, d);
  for (std::size_t i = 0; i < d; ++i) {
    copy_block<T>(sum.output + i * outputs_, 1, config_.outputs, to + places_.output + i * config_.outputs, d);
  }
}

template <class T, class Shape>
void Engine<T, Shape>::unfold_layer(const Weights& w, SchemaMemShard<T>& sum, LayerGradients<T>& g, T* to) const {
  const auto D = s_.D;
  const auto M = s_.M;
  const auto both = times<2>(D);
  const std::size_t d = s_.width, Q = s_.Q, G = s_.G, heads = s_.heads, dim = s_.head_dim, hidden = s_.hidden;
  const T root = static_cast<T>(1 / std::sqrt(static_cast<double>(d)));
  const auto rows = [&](const T* from, std::size_t from_row, std::size_t count, std::size_t columns, std::size_t place,
                        T scale) {
    for (std::size_t i = 0; i < count; ++i)
      copy_block<T>(from + i * from_row, 1, columns, to + place + i * columns, columns, scale);
  };
  // The static bank: K(E) is read by chunks with S = 0 and, through W_w K(E)^T, by every write.
  T* const d_write = sum.d_features;  // [D, D] for a moment: d W_w = d_address^T K(E) / sqrt d
  multiply<T>({g.address, 1, D}, {w.bank, both}, d_write, D, D, D, M);
  rows(d_write, D, d, d, places_.w_w, root);
  multiply<T>({g.address, D, 1}, {w.write, D}, sum.d_bank, both, M, D, D);
  for (std::size_t m = 0; m < M; ++m) {
    for (std::size_t j = 0; j < D; ++j) g.bank[m * both + j] += sum.d_bank[m * both + j] * root;
  }
  multiply<T>({g.bank, both, 1}, {w.project_t, both}, sum.d_features, both, M, both, both);
  multiply_onto<T>({w.features, 1, both}, {g.bank, both}, g.project, both, both, both, s_.slots);
  phasor_backward<T>(w.features, sum.d_features, g.schema, static_cast<T*>(nullptr), M, D);

  rows(g.norm1, D, 1, d, places_.norm1, 1);
  rows(g.norm2, D, 1, d, places_.norm2, 1);
  rows(g.schema, D, s_.slots, d, places_.schema, 1);
  for (std::size_t half = 0; half < 2; ++half) {
    rows(g.project + half * D * both, both, d, d, places_.w_k + half * d * d, 1);
    rows(g.project + half * D * both + D, both, d, d, places_.w_v + half * d * d, 1);
  }
  rows(g.read, D, d, d, places_.w_r, root);
  rows(g.delta, D, d, d, places_.w_delta, 1);
  rows(g.mix + D * D, D, d, d, places_.w_f, 1);
  for_query_features(heads, dim, [&](std::size_t natural, std::size_t at) {
    for (std::size_t i = 0; i < d; ++i) {
      to[places_.attn_q + i * d + natural] = g.qkv[i * Q + at];
      to[places_.attn_o + natural * d + i] = g.mix[at * D + i];
    }
  });
  rows(g.qkv + d, Q, d, dim, places_.attn_k, 1);
  rows(g.qkv + d + dim, Q, d, dim, places_.attn_v, 1);
  rows(g.gate_up, 2 * G, d, hidden, places_.gate, 1);
  rows(g.gate_up + G, 2 * G, d, hidden, places_.up, 1);
  rows(g.down, D, hidden, d, places_.down, 1);
}

}  // namespace schemamem::SCHEMAMEM_ISA
