#pragma once

#include <memory>
#include <span>

#include "kernels/isa.h"
#include "models/model.h"
#include "models/schemamem/config.h"

namespace schemamem {

/// Where a stream stands inside its open chunk; the rest of its state are the arrays below.
struct OpenChunk {
  std::size_t tokens = 0;  // inputs since the last commit
  bool touched = false;    // S differs from zero: the bank of this chunk is not the static one
};

/// Pointers into a stream's state, one set per layer. Rows are not padded: the state has the same layout for every
/// instruction set.
template <class T>
struct LayerStream {
  T* phase;        // S [M, d]
  T* pending;      // dS [M, d]
  T* open_keys;    // [commit_every, head_dim]
  T* open_values;  // [commit_every, head_dim]
};

/// A chunk of an episode: tokens [begin, end), and whether a commit follows it.
struct Chunk {
  std::size_t begin = 0, end = 0;
  bool commit = false;
  bool read_segment = false;  // its inputs are queries
};

/// An episode as the engine takes it: cut into chunks. The rest is as in Episode.
template <class T>
struct ChunkedEpisode {
  View<const T, 2> x;
  std::span<const Chunk> chunks;
  bool carry = true;  // S is carried from chunk to chunk; otherwise it is zero throughout
  T floor = 0;        // increments smaller than this are not committed
  std::span<const std::uint32_t> answers{};
  std::span<const T> initial{};  // [layers, slots, width]
  std::span<T> final{};
};

/// The arithmetic of a SchemaMem model, compiled once per instruction set, scalar type and kind of sizes (the paper's,
/// fixed at compile time, or any). It knows chunks, not commit rules; SchemaMemModel decides where chunks end.
template <class T>
class SchemaMemEngine {
 public:
  virtual ~SchemaMemEngine();

  virtual std::unique_ptr<Folded<T>> make_folded() const = 0;
  virtual std::unique_ptr<Tape<T>> make_tape(TapeSize size, ArenaPolicy policy) const = 0;
  virtual std::unique_ptr<Tape<T>> make_scratch() const = 0;
  virtual std::unique_ptr<GradientShard<T>> make_shard() const = 0;

  virtual void fold(View<const T, 1> weights, Folded<T>& folded) const = 0;
  virtual void forward(const Folded<T>& folded, const ChunkedEpisode<T>& episode, Tape<T>& tape,
                       View<T, 2> logits) const = 0;
  virtual T backward(const Folded<T>& folded, Tape<T>& tape, View<const T, 2> d_logits, T stillness,
                     GradientShard<T>& shard, const EpisodeGradients<T>& also) const = 0;
  virtual void unfold(const Folded<T>& folded, std::span<GradientShard<T>* const> shards,
                      View<T, 1> d_weights) const = 0;

  /// Tokens of one open chunk: reads S, extends the open keys and values, adds to the pending increments.
  virtual void advance(const Folded<T>& folded, View<const T, 2> x, const OpenChunk& open,
                       std::span<const LayerStream<T>> layers, Tape<T>& scratch, View<T, 2> logits) const = 0;
  /// Of the last token that advance() was given.
  virtual PlaceWeights<T> place_weights(const Tape<T>& scratch, std::size_t layer) const = 0;
  /// S <- (S + dS) mod 2 pi, without those dS that are smaller than the floor, dS <- 0, and the bank of the next chunk.
  virtual void commit(const Folded<T>& folded, T floor, std::span<const LayerStream<T>> layers,
                      Tape<T>& scratch) const = 0;
  /// Rebuilds in `scratch` what is derived from S and from the open keys.
  virtual void refresh(const Folded<T>& folded, const OpenChunk& open, std::span<const LayerStream<T>> layers,
                       Tape<T>& scratch) const = 0;
};

/// The engine for this instruction set; `general` asks for the path that takes any sizes even where a fixed one exists.
template <class T>
std::unique_ptr<SchemaMemEngine<T>> make_schemamem_engine(const SchemaMemConfig& config, Isa isa, bool general);

/// The factories of each instruction set, defined in paper_*.isa.cpp and any_*.isa.cpp.
template <Isa isa, class T>
SchemaMemEngine<T>* make_paper_engine(const SchemaMemConfig& config);
template <Isa isa, class T>
SchemaMemEngine<T>* make_any_engine(const SchemaMemConfig& config);

}  // namespace schemamem
