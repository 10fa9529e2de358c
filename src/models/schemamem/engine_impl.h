#pragma once

#include "models/schemamem/folded.h"
#include "models/schemamem/places.h"
#include "models/schemamem/tape.h"

namespace schemamem::SCHEMAMEM_ISA {

/// SchemaMemEngine for one scalar type and one kind of sizes. Defined in fold.h, maps.h, forward.h, backward.h and
/// stream.h.
template <class T, class Shape>
class Engine final : public SchemaMemEngine<T> {
 public:
  explicit Engine(const SchemaMemConfig& config)
      : config_(config),
        places_(schemamem_places(config)),
        s_(config),
        outputs_(config.bare ? 0 : round_up_to_lanes<T>(config.outputs)) {}

  std::unique_ptr<Folded<T>> make_folded() const override;
  std::unique_ptr<Tape<T>> make_tape(TapeSize size, ArenaPolicy policy) const override;
  std::unique_ptr<Tape<T>> make_scratch() const override;
  std::unique_ptr<GradientShard<T>> make_shard() const override;

  void fold(View<const T, 1> weights, Folded<T>& folded) const override;
  void forward(const Folded<T>& folded, const ChunkedEpisode<T>& episode, Tape<T>& tape,
               View<T, 2> logits) const override;
  T backward(const Folded<T>& folded, Tape<T>& tape, View<const T, 2> d_logits, T stillness, GradientShard<T>& shard,
             const EpisodeGradients<T>& also) const override;
  void unfold(const Folded<T>& folded, std::span<GradientShard<T>* const> shards, View<T, 1> d_weights) const override;

  void advance(const Folded<T>& folded, View<const T, 2> x, const OpenChunk& open,
               std::span<const LayerStream<T>> layers, Tape<T>& scratch, View<T, 2> logits) const override;
  PlaceWeights<T> place_weights(const Tape<T>& scratch, std::size_t layer) const override;
  void commit(const Folded<T>& folded, T floor, std::span<const LayerStream<T>> layers,
              Tape<T>& scratch) const override;
  void refresh(const Folded<T>& folded, const OpenChunk& open, std::span<const LayerStream<T>> layers,
               Tape<T>& scratch) const override;

 private:
  using Weights = LayerWeights<T>;
  using Rows = LayerActivations<T>;

  /// Local attention of a piece of a chunk: where its keys are and what it keeps.
  struct LocalPiece {
    const T *keys, *values;
    std::size_t key_row, offset;
    T* key_norms;
    const T *cosines, *sines, *key_cosines, *key_sines;  // of the piece's first position
    T *keys_to = nullptr, *values_to = nullptr;          // if set, rotated keys and values are copied here
  };
  /// Whether the arrays of a stream can be worked on in place.
  bool unpadded() const { return s_.D == s_.width && s_.M == s_.slots; }

  void fold_layer(const T* from, Weights& to) const;
  void lay_out(SchemaMemFolded<T>& folded) const;
  void lay_out(SchemaMemShard<T>& shard) const;
  void lay_out(SchemaMemTape<T>& tape) const;
  void lay_out(SchemaMemScratch<T>& scratch) const;
  void take_rows(Arena& arena, Rows& rows, std::size_t tokens, std::size_t chunks) const;
  void fill_rotation(std::size_t positions, T* cosines, T* sines, T* key_cosines, T* key_sines) const;
  static Rows rows_from(const Rows& rows, const Shape& s, std::size_t token);

  void input_rows(const SchemaMemFolded<T>& folded, const T* x, std::size_t x_row, std::size_t rows, T* h) const;
  void input_backward(const SchemaMemFolded<T>& folded, const SchemaMemTape<T>& tape, SchemaMemShard<T>& shard,
                      View<T, 2> d_x) const;
  void output_rows(const SchemaMemFolded<T>& folded, const T* normed, std::size_t rows, T* padded,
                   View<T, 2> logits) const;
  void output_of_tape(const SchemaMemFolded<T>& folded, SchemaMemTape<T>& tape, View<T, 2> logits) const;
  void output_backward(const SchemaMemFolded<T>& folded, SchemaMemTape<T>& tape, View<const T, 2> d_logits,
                       SchemaMemShard<T>& shard) const;
  void write_rows(const Weights& w, const Bank<T>& bank, const Rows& a, std::size_t rows, T* scratch) const;
  void read_rows(const Weights& w, const Bank<T>& bank, const Rows& a, std::size_t rows, T* scratch) const;
  void attend_rows(const Weights& w, const Rows& a, std::size_t rows, const LocalPiece& piece) const;
  void mix_rows(const Weights& w, const Rows& a, std::size_t rows, T* next) const;
  /// Builds phi, [K | V] and K^T for phase E + S; returns the largest |key|.
  void commit_state(T* state, const T* increment) const;
  void pull_rows(const Rows& a, std::size_t rows, const T* state, T* weights, T* increment) const;
  T build_bank(const Weights& w, const T* state, T* features, T* bank, T* keys_t) const;
  T largest_column(const T* matrix_t) const;

  void mix_backward(const Weights& w, const Rows& a, std::size_t rows, const T* d_next, SchemaMemTape<T>& tape,
                    LayerGradients<T>& d) const;
  void attend_backward(const Weights& w, const Rows& a, std::size_t rows, SchemaMemTape<T>& tape,
                       LayerGradients<T>& d) const;
  void read_backward(const Weights& w, const Bank<T>& bank, const Rows& a, std::size_t rows, bool is_static,
                     SchemaMemTape<T>& tape, LayerGradients<T>& d) const;
  void write_backward(const Weights& w, const Rows& a, std::size_t rows, bool committed, const T* features,
                      const T* before, SchemaMemTape<T>& tape, LayerGradients<T>& d) const;
  void bank_backward(const Weights& w, const T* features, SchemaMemTape<T>& tape, LayerGradients<T>& d) const;
  void unfold_layer(const Weights& w, SchemaMemShard<T>& sum, LayerGradients<T>& d, T* to) const;

  SchemaMemConfig config_;
  SchemaMemPlaces places_;
  [[no_unique_address]] Shape s_;
  std::size_t outputs_;  // padded; 0 for a bare stack
};

}  // namespace schemamem::SCHEMAMEM_ISA
