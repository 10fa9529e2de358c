#include "train/batch_step.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace schemamem {

template <class T>
BatchStep<T>::BatchStep(const SequenceModel<T>& model, ThreadPool& pool, TapeSize longest, std::size_t most_episodes,
                        ArenaPolicy policy)
    : model_(model), pool_(pool), folded_(model.make_folded()), plan_(kShards) {
  for (int i = 0; i < pool.threads(); ++i) workspaces_.emplace_back(model, longest, policy);
  for (std::size_t i = 0; i < kShards; ++i) {
    shards_.push_back(model.make_shard());
    shard_order_.push_back(shards_.back().get());
    plan_[i].reserve(most_episodes);
  }
  by_length_.reserve(most_episodes);
}

/// The longest episode first, each to the shard with the fewest rows so far: shards of nearly equal work, decided by
/// the batch alone.
template <class T>
void BatchStep<T>::plan(std::span<const std::size_t> offsets) {
  const auto length = [&](std::size_t i) { return offsets[i + 1] - offsets[i]; };
  by_length_.resize(offsets.size() - 1);
  std::iota(by_length_.begin(), by_length_.end(), std::size_t{0});
  std::sort(by_length_.begin(), by_length_.end(),
            [&](std::size_t a, std::size_t b) { return length(a) != length(b) ? length(a) > length(b) : a < b; });
  std::array<std::size_t, kShards> load{};
  for (auto& shard : plan_) shard.clear();
  for (const std::size_t episode : by_length_) {
    const auto least = static_cast<std::size_t>(std::min_element(load.begin(), load.end()) - load.begin());
    load[least] += length(episode);
    plan_[least].push_back(episode);
  }
}

template <class T>
bool BatchStep<T>::guards_intact() const {
  return std::all_of(workspaces_.begin(), workspaces_.end(),
                     [](const Workspace<T>& one) { return one.tape->guards_intact(); });
}

template class BatchStep<float>;
template class BatchStep<double>;

}  // namespace schemamem
