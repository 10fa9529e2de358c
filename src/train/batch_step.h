#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "models/model.h"
#include "system/threads.h"
#include "train/workspace.h"

namespace schemamem {

/// The gradient of a batch of independent episodes: the step that the trainer makes and that benchmarks time. Episodes
/// are dealt to a fixed number of shards by their lengths, whatever the thread count; a shard is worked off by one
/// thread, in order, and the shards are added in order: the same bits for any number of threads. Sized once; a step
/// allocates nothing.
template <class T>
class BatchStep {
 public:
  static constexpr std::size_t kShards = 8;

  /// Model and pool outlive the step.
  BatchStep(const SequenceModel<T>& model, ThreadPool& pool, TapeSize longest, std::size_t most_episodes,
            ArenaPolicy policy = {});

  /// Derives from the weights what all episodes share.
  void fold(View<const T, 1> weights) { model_.fold(weights, *folded_); }
  const Folded<T>& folded() const { return *folded_; }

  /// Deals the episodes; offsets are their first rows and the end of the last one.
  void plan(std::span<const std::size_t> offsets);
  /// Calls work(episode, workspace, shard) for every episode of the plan, from any thread, those of one shard in order.
  template <class Work>
  void run(const StopFlag& stop, const Work& work) {
    pool_.run(kShards, [&](std::size_t shard, int thread) {
      shards_[shard]->clear();
      Workspace<T>& workspace = workspaces_[static_cast<std::size_t>(thread)];
      for (const std::size_t episode : plan_[shard]) {
        if (stop.load(std::memory_order_relaxed)) return;
        work(episode, workspace, *shards_[shard]);
      }
    });
  }
  /// Overwrites d_weights with the sum over the shards.
  void gradient(View<T, 1> d_weights) { model_.unfold(*folded_, shard_order_, d_weights); }

  std::span<Workspace<T>> workspaces() { return workspaces_; }
  bool guards_intact() const;

 private:
  const SequenceModel<T>& model_;
  ThreadPool& pool_;
  std::unique_ptr<Folded<T>> folded_;
  std::vector<Workspace<T>> workspaces_;  // one a thread
  std::vector<std::unique_ptr<GradientShard<T>>> shards_;
  std::vector<GradientShard<T>*> shard_order_;
  std::vector<std::size_t> by_length_;          // episodes, longest first
  std::vector<std::vector<std::size_t>> plan_;  // [shards] episodes of each
};

extern template class BatchStep<float>;
extern template class BatchStep<double>;

}  // namespace schemamem
