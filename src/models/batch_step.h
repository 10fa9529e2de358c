#pragma once

#include <memory>
#include <vector>

#include "base/threads.h"
#include "models/model.h"

namespace schemamem {

/// The gradient of a batch of independent episodes. Episodes are dealt to a fixed number of shards, whatever the thread
/// count; a shard is worked off by one thread, in order, and the shards are added in order: the same bits for any
/// number of threads. Sized once; a step allocates nothing.
template <class T>
class BatchStep {
 public:
  static constexpr std::size_t kShards = 8;

  BatchStep(const SequenceModel<T>& model, ThreadPool& pool, TapeSize longest, ArenaPolicy policy = {})
      : model_(model), pool_(pool), folded_(model.make_folded()) {
    for (int i = 0; i < pool.threads(); ++i) tapes_.push_back(model.make_tape(longest, policy));
    for (std::size_t i = 0; i < kShards; ++i) {
      shards_.push_back(model.make_shard());
      shard_pointers_.push_back(shards_.back().get());
    }
  }

  /// Overwrites d_weights with the gradient of the sum over episodes. For episode i: `episode(i)` gives its input,
  /// `logits(i)` where its output goes, and `loss(i)` is called after the forward pass and returns dL/dlogits. All
  /// three are called from any thread, for one i at a time each.
  template <class EpisodeOf, class LogitsOf, class LossOf>
  void run(View<const T, 1> weights, std::size_t episodes, const EpisodeOf& episode, const LogitsOf& logits,
           const LossOf& loss, View<T, 1> d_weights) {
    model_.fold(weights, *folded_);
    pool_.run(kShards, [&](std::size_t shard, int thread) {
      shards_[shard]->clear();
      Tape<T>& tape = *tapes_[static_cast<std::size_t>(thread)];
      for (std::size_t i = shard; i < episodes; i += kShards) {
        model_.forward(*folded_, episode(i), tape, logits(i));
        model_.backward(*folded_, tape, loss(i), *shards_[shard]);
      }
    });
    model_.unfold(*folded_, shard_pointers_, d_weights);
  }

  bool guards_intact() const {
    for (const auto& tape : tapes_) {
      if (!tape->guards_intact()) return false;
    }
    return true;
  }

 private:
  const SequenceModel<T>& model_;
  ThreadPool& pool_;
  std::unique_ptr<Folded<T>> folded_;
  std::vector<std::unique_ptr<Tape<T>>> tapes_;
  std::vector<std::unique_ptr<GradientShard<T>>> shards_;
  std::vector<GradientShard<T>*> shard_pointers_;
};

}  // namespace schemamem
