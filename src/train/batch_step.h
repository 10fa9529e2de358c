#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "models/model.h"
#include "system/ranks.h"
#include "system/threads.h"
#include "train/workspace.h"

namespace schemamem {

/// How many episodes a batch has at most, and into how many shards it is cut.
struct BatchCut {
  std::size_t most_episodes = 0;
  std::size_t shards = 0;
};

/// The gradient of a batch of independent episodes: the step that the trainer makes and that benchmarks time. Episodes
/// are dealt to a fixed number of shards by their lengths, and shards to ranks in their order, whatever the number of
/// threads; a shard is worked off by one thread, in order, and the shards are added in order: the same bits for any
/// number of threads and of ranks. Sized once; a step allocates nothing.
template <class T>
class BatchStep {
 public:
  /// Model, pool and ranks outlive the step.
  BatchStep(const SequenceModel<T>& model, ThreadPool& pool, TapeSize longest, BatchCut cut, Ranks& ranks = alone(),
            ArenaPolicy policy = {});

  /// Derives from the weights what all episodes share.
  void fold(View<const T, 1> weights) { model_.fold(weights, *folded_); }
  const Folded<T>& folded() const { return *folded_; }

  /// Deals the episodes; offsets are their first rows and the end of the last one.
  void plan(std::span<const std::size_t> offsets);
  /// Calls work(episode, workspace, shard) for every episode of this rank's shards, from any thread, those of one shard
  /// in order.
  template <class Work>
  void run(const StopFlag& stop, const Work& work) {
    const std::size_t first = first_shard(ranks_.mine());
    pool_.run(shards_.size(), [&](std::size_t shard, int thread) {
      shards_[shard]->clear();
      Workspace<T>& workspace = workspaces_[static_cast<std::size_t>(thread)];
      for (const std::size_t episode : plan_[first + shard]) {
        if (stop.load(std::memory_order_relaxed)) return;
        work(episode, workspace, *shards_[shard]);
      }
    });
  }
  /// Records of one size, of the first so many episodes of the plan: each rank has made those of its own, and gets all.
  void share(std::span<std::byte> records, std::size_t episodes);
  /// Adds up the shards of all ranks, where there are several.
  void reduce();
  /// Overwrites d_weights with the sum over the shards, once they are reduced.
  void gradient(View<T, 1> d_weights) { model_.unfold(*folded_, addends_, d_weights); }

  std::span<Workspace<T>> workspaces() { return workspaces_; }
  bool guards_intact() const;

 private:
  /// Where the shards of a rank begin.
  std::size_t first_shard(int rank) const {
    return even_share(plan_.size(), static_cast<std::size_t>(ranks_.count()), static_cast<std::size_t>(rank));
  }

  const SequenceModel<T>& model_;
  ThreadPool& pool_;
  Ranks& ranks_;
  std::unique_ptr<Folded<T>> folded_;
  std::vector<Workspace<T>> workspaces_;                   // one a thread
  std::vector<std::vector<std::size_t>> plan_;             // [all shards] episodes of each
  std::vector<std::unique_ptr<GradientShard<T>>> shards_;  // of this rank
  std::vector<GradientShard<T>*> addends_;                 // what unfold adds
  std::vector<std::size_t> by_length_;                     // episodes, longest first
  std::vector<std::size_t> load_;                          // [all shards] rows of each
  // Of several ranks:
  std::unique_ptr<GradientShard<T>> sum_;
  std::vector<T> out_, in_;
  std::vector<std::byte> records_;
  std::vector<std::size_t> out_ends_, in_ends_, ends_;  // [ranks]
};

extern template class BatchStep<float>;
extern template class BatchStep<double>;

}  // namespace schemamem
