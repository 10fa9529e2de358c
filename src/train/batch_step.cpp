#include "train/batch_step.h"

#include <algorithm>
#include <numeric>

namespace schemamem {

namespace {

/// Numbers of a gradient that are exchanged at once: what is kept for that stays small beside the shards themselves.
constexpr std::size_t kBlock = std::size_t{1} << 22;

}  // namespace

template <class T>
BatchStep<T>::BatchStep(const SequenceModel<T>& model, ThreadPool& pool, TapeSize longest, BatchCut cut, Ranks& ranks,
                        ArenaPolicy policy)
    : model_(model), pool_(pool), ranks_(ranks), folded_(model.make_folded()), plan_(cut.shards), load_(cut.shards) {
  require(cut.shards > 0, "BatchStep: a batch has at least one shard");
  for (int i = 0; i < pool.threads(); ++i) workspaces_.emplace_back(model, longest, policy);
  const std::size_t own = first_shard(ranks.mine() + 1) - first_shard(ranks.mine());
  for (std::size_t i = 0; i < own; ++i) shards_.push_back(model.make_shard());
  if (ranks.is_alone()) {
    for (const auto& shard : shards_) addends_.push_back(shard.get());
  } else {
    sum_ = model.make_shard();
    addends_.push_back(sum_.get());
    const auto count = static_cast<std::size_t>(ranks.count());
    const std::size_t block = std::min(kBlock, sum_->numbers().size());
    out_.resize(own * block);
    in_.resize(cut.shards * (block / count + 1));
    for (auto* ends : {&out_ends_, &in_ends_, &ends_}) ends->resize(count);
  }
  for (auto& episodes : plan_) episodes.reserve(cut.most_episodes);
  by_length_.reserve(cut.most_episodes);
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
  std::fill(load_.begin(), load_.end(), std::size_t{0});
  for (auto& shard : plan_) shard.clear();
  for (const std::size_t episode : by_length_) {
    const auto least = static_cast<std::size_t>(std::min_element(load_.begin(), load_.end()) - load_.begin());
    load_[least] += length(episode);
    plan_[least].push_back(episode);
  }
}

template <class T>
void BatchStep<T>::share(std::span<std::byte> records, std::size_t episodes) {
  if (ranks_.is_alone() || episodes == 0) return;
  const std::size_t size = records.size() / episodes;
  records_.resize(records.size());
  // The plan lists episodes by shard, and shards by rank: what one rank has lies together.
  const auto visit = [&](const auto& copy) {
    std::size_t at = 0;
    for (int rank = 0; rank < ranks_.count(); ++rank) {
      for (std::size_t shard = first_shard(rank); shard < first_shard(rank + 1); ++shard) {
        for (const std::size_t episode : plan_[shard]) {
          if (episode >= episodes) continue;
          copy(rank, std::span(records_).subspan(at, size), records.subspan(episode * size, size));
          at += size;
        }
      }
      ends_[static_cast<std::size_t>(rank)] = at;
    }
  };
  visit([&](int rank, std::span<std::byte> packed, std::span<const std::byte> record) {
    if (rank == ranks_.mine()) std::copy(record.begin(), record.end(), packed.begin());
  });
  ranks_.all_gather(records_, ends_);
  visit([](int, std::span<const std::byte> packed, std::span<std::byte> record) {
    std::copy(packed.begin(), packed.end(), record.begin());
  });
}

/// Each rank adds a slice of the gradient over all shards, in their order, as unfold does; then the slices go to all.
template <class T>
void BatchStep<T>::reduce() {
  if (ranks_.is_alone()) return;
  const std::span<T> sum = sum_->numbers();
  const auto count = static_cast<std::size_t>(ranks_.count()), mine = static_cast<std::size_t>(ranks_.mine());
  for (std::size_t begin = 0; begin < sum.size(); begin += kBlock) {
    const std::span<T> block = sum.subspan(begin, std::min(kBlock, sum.size() - begin));
    const auto border = [&](std::size_t rank) { return even_share(block.size(), count, rank); };
    const std::size_t slice = border(mine + 1) - border(mine);
    T* to = out_.data();
    for (std::size_t rank = 0; rank < count; ++rank) {
      for (const auto& shard : shards_)
        to = std::copy_n(shard->numbers().data() + begin + border(rank), border(rank + 1) - border(rank), to);
      out_ends_[rank] = static_cast<std::size_t>(to - out_.data()) * sizeof(T);
      in_ends_[rank] = first_shard(static_cast<int>(rank) + 1) * slice * sizeof(T);
      ends_[rank] = border(rank + 1) * sizeof(T);
    }
    ranks_.all_to_all(std::as_bytes(std::span(out_).first(static_cast<std::size_t>(to - out_.data()))), out_ends_,
                      std::as_writable_bytes(std::span(in_).first(plan_.size() * slice)), in_ends_);
    T* const own = block.data() + border(mine);
    std::copy_n(in_.data(), slice, own);
    for (std::size_t shard = 1; shard < plan_.size(); ++shard) {
      const T* const part = in_.data() + shard * slice;
      for (std::size_t i = 0; i < slice; ++i) own[i] += part[i];
    }
    ranks_.all_gather(std::as_writable_bytes(block), ends_);
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
