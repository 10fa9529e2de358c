#pragma once

#include <vector>

#include "models/baseline/blocks.h"
#include "models/baseline/model.h"

namespace schemamem {

template <class T>
struct BaselineFolded final : Folded<T> {
  explicit BaselineFolded(std::size_t size) : values(size) {}
  Buffer<T> values;
};

template <class T>
struct BaselineShard final : GradientShard<T> {
  explicit BaselineShard(std::size_t size) : values(size), total(size) {}
  std::span<T> numbers() override { return values.span(); }
  Buffer<T> values;
  Buffer<T> total;  // where unfold adds up, if this shard comes first
};

/// Rows of one layer that backward reads again.
template <class T>
struct LayerRows {
  T *h = nullptr, *u = nullptr, *inverse1 = nullptr;    // the layer's input, RMSNorm_1 of it
  T *mid = nullptr, *z = nullptr, *inverse2 = nullptr;  // behind the mixer, RMSNorm_2 of it
  T *gate_up = nullptr, *activated = nullptr;           // inside the SwiGLU
  std::vector<T*> mixer;
};

/// The activations of one episode, or of the few tokens that a stream takes at once. One layer's rows serve all layers
/// of a stream.
template <class T>
struct BaselineModel<T>::Memory final : Tape<T> {
  enum class Use { kTraining, kStream };
  Memory(const BaselineModel& model, std::size_t tokens, Use use, ArenaPolicy policy);

  bool guards_intact() const override { return arena.guards_intact(); }
  std::size_t bytes() const override { return arena.bytes(); }

  Arena arena;
  std::size_t capacity;
  std::vector<LayerRows<T>> layers;
  T *x = nullptr, *end = nullptr, *normed = nullptr, *inverse = nullptr, *logits = nullptr;
  T *d_h = nullptr, *d_u = nullptr, *d_gate_up = nullptr, *d_activated = nullptr;
  std::vector<T*> mixer_scratch;

  std::size_t tokens = 0;  // of the episode that forward ran last
  T stillness = 0;
  bool started = false, ends_kept = false;  // it began with a given state; its final state was asked for
  std::vector<std::uint32_t> answers;       // rows that answer; empty: all
  T *answered = nullptr, *d_answered = nullptr;
  std::vector<Segment> segments;
};

}  // namespace schemamem
