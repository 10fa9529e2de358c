#pragma once

#include "models/schemamem/fold.h"
#include "models/schemamem/forward.h"

namespace schemamem::SCHEMAMEM_ISA {

template <class T, class Shape>
void Engine<T, Shape>::lay_out(SchemaMemScratch<T>& scratch) const {
  const std::size_t D = s_.D, M = s_.M, tokens = config_.commit_every;
  Arena& arena = scratch.arena;
  take_rows(arena, scratch.rows, tokens, 0);
  scratch.next = arena.take<T>(tokens * D);
  scratch.inverse_last = arena.take<T>(tokens);
  scratch.cosines = arena.take<T>(tokens * s_.width / 2);
  scratch.sines = arena.take<T>(tokens * s_.width / 2);
  scratch.key_cosines = arena.take<T>(tokens * s_.head_dim / 2);
  scratch.key_sines = arena.take<T>(tokens * s_.head_dim / 2);
  scratch.row_scratch = arena.take<T>(tokens * kLanes<T>);
  scratch.padded_out = arena.take<T>(tokens * outputs_);
  scratch.pulls = arena.take<T>(config_.pulls ? tokens * M : 0);
  scratch.layers = arena.take<typename SchemaMemScratch<T>::Layer>(config_.layers);
  for (std::size_t i = 0; i < config_.layers; ++i) {
    typename SchemaMemScratch<T>::Layer ignored;
    auto& layer = scratch.layers == nullptr ? ignored : scratch.layers[i];
    layer.features = arena.take<T>(M * 2 * D);
    layer.bank = arena.take<T>(M * 2 * D);
    layer.keys_t = arena.take<T>(D * M);
    layer.key_norms = arena.take<T>(tokens);
    layer.last_read = arena.take<T>(M);
    layer.last_write = arena.take<T>(M);
    layer.state = arena.take<T>(unpadded() ? 0 : M * D);
    layer.pending = arena.take<T>(unpadded() ? 0 : M * D);
  }
}

template <class T, class Shape>
std::unique_ptr<Tape<T>> Engine<T, Shape>::make_scratch() const {
  auto scratch = std::make_unique<SchemaMemScratch<T>>();
  lay_out(*scratch);
  scratch->arena.allocate();
  lay_out(*scratch);
  fill_rotation(config_.commit_every, scratch->cosines, scratch->sines, scratch->key_cosines, scratch->key_sines);
  return scratch;
}

template <class T, class Shape>
void Engine<T, Shape>::advance(const Folded<T>& folded, View<const T, 2> x, const OpenChunk& open,
                               std::span<const LayerStream<T>> layers, Tape<T>& tape, View<T, 2> logits) const {
  const auto& f = static_cast<const SchemaMemFolded<T>&>(folded);
  auto& scratch = static_cast<SchemaMemScratch<T>&>(tape);
  const auto D = s_.D;
  const auto M = s_.M;
  const auto both = times<2>(D);
  const std::size_t rows = x.extent(0), dim = s_.head_dim, at = open.tokens;
  const T eps = static_cast<T>(kSchemaMemNormEps);
  Rows a = scratch.rows;
  T* next = scratch.next;
  input_rows(f, x.data(), x.stride(0), rows, a.h);
  for (std::size_t l = 0; l < config_.layers; ++l) {
    const Weights& w = f.layers[l];
    const LayerStream<T>& stream = layers[l];
    auto& mine = scratch.layers[l];
    const Bank<T> bank = open.touched ? Bank<T>{mine.features, mine.bank, mine.keys_t, mine.key_norm}
                                      : Bank<T>{w.features, w.bank, w.keys_t, w.key_norm};
    rms_norm_forward<T>(a.h, w.norm1, a.x, a.inverse1, rows, s_.width, D, eps);
    write_rows(w, bank, a, rows, scratch.row_scratch);
    read_rows(w, bank, a, rows, scratch.row_scratch);
    for (std::size_t m = 0, last = rows - 1; m < M; ++m) {
      mine.last_read[m] = a.read_powers[last * M + m] * a.read_inverse[last];
      mine.last_write[m] = a.write_powers[last * M + m] * a.write_inverse[last];
    }
    attend_rows(w, a, rows,
                {.keys = stream.open_keys,
                 .values = stream.open_values,
                 .key_row = dim,
                 .offset = at,
                 .key_norms = mine.key_norms,
                 .cosines = scratch.cosines + at * (s_.width / 2),
                 .sines = scratch.sines + at * (s_.width / 2),
                 .key_cosines = scratch.key_cosines + at * (dim / 2),
                 .key_sines = scratch.key_sines + at * (dim / 2),
                 .keys_to = stream.open_keys + at * dim,
                 .values_to = stream.open_values + at * dim});
    mix_rows(w, a, rows, next);
    T* const pending = unpadded() ? stream.pending : mine.pending;
    if (config_.pulls) {
      pull_rows(a, rows, unpadded() ? stream.phase : mine.state, scratch.pulls, pending);
    } else {
      multiply_onto<T>({a.write_powers, 1, M}, {a.ug + D, both}, pending, D, M, D, rows);
    }
    if (!unpadded()) {
      for (std::size_t m = 0; m < s_.slots; ++m)
        copy_block<T>(pending + m * D, 1, s_.width, stream.pending + m * s_.width, D);
    }
    T* const previous = a.h;
    a.h = next;
    next = previous;
  }
  scratch.has_last = true;
  if (config_.bare) {
    for (std::size_t t = 0; t < rows; ++t) copy_block<T>(a.h + t * D, 1, s_.width, &logits(t, 0), s_.width);
    return;
  }
  rms_norm_forward<T>(a.h, f.final_norm, a.z, scratch.inverse_last, rows, s_.width, D, eps);
  output_rows(f, a.z, rows, scratch.padded_out, logits);
}

template <class T, class Shape>
PlaceWeights<T> Engine<T, Shape>::place_weights(const Tape<T>& tape, std::size_t layer) const {
  const auto& scratch = static_cast<const SchemaMemScratch<T>&>(tape);
  if (!scratch.has_last || layer >= config_.layers) return {};
  const auto& mine = scratch.layers[layer];
  return {.read = {mine.last_read, s_.slots}, .write = {mine.last_write, s_.slots}};
}

template <class T, class Shape>
void Engine<T, Shape>::commit(const Folded<T>& folded, T floor, std::span<const LayerStream<T>> layers,
                              Tape<T>& tape) const {
  const auto& f = static_cast<const SchemaMemFolded<T>&>(folded);
  auto& scratch = static_cast<SchemaMemScratch<T>&>(tape);
  const std::size_t D = s_.D, M = s_.M, d = s_.width, slots = s_.slots;
  for (std::size_t l = 0; l < config_.layers; ++l) {
    const LayerStream<T>& stream = layers[l];
    auto& mine = scratch.layers[l];
    T* const state = unpadded() ? stream.phase : mine.state;
    T* const pending = unpadded() ? stream.pending : mine.pending;
    if (floor > 0) drop_below<T>(floor, pending, M * D);
    commit_state(state, pending);
    for (std::size_t i = 0; i < M * D; ++i) pending[i] = 0;
    if (!unpadded()) {
      for (std::size_t m = 0; m < slots; ++m) copy_block<T>(state + m * D, 1, d, stream.phase + m * d, d);
      for (std::size_t i = 0; i < slots * d; ++i) stream.pending[i] = 0;
    }
    mine.key_norm = build_bank(f.layers[l], state, mine.features, mine.bank, mine.keys_t);
  }
}

template <class T, class Shape>
void Engine<T, Shape>::refresh(const Folded<T>& folded, const OpenChunk& open, std::span<const LayerStream<T>> layers,
                               Tape<T>& tape) const {
  const auto& f = static_cast<const SchemaMemFolded<T>&>(folded);
  auto& scratch = static_cast<SchemaMemScratch<T>&>(tape);
  const std::size_t D = s_.D, d = s_.width, slots = s_.slots, dim = s_.head_dim;
  for (std::size_t l = 0; l < config_.layers; ++l) {
    const LayerStream<T>& stream = layers[l];
    auto& mine = scratch.layers[l];
    if (!unpadded()) {
      copy_block<T>(stream.phase, slots, d, mine.state, D);
      copy_block<T>(stream.pending, slots, d, mine.pending, D);
    }
    if (open.touched) {
      mine.key_norm =
          build_bank(f.layers[l], unpadded() ? stream.phase : mine.state, mine.features, mine.bank, mine.keys_t);
    }
    running_key_norms<T>(stream.open_keys, dim, dim, 0, open.tokens, mine.key_norms);
  }
}

}  // namespace schemamem::SCHEMAMEM_ISA
