#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/memory.h"
#include "task/task.h"

namespace schemamem {

/// Episodes of one task, one behind the other, of any cases and lengths. Memory is asked for once.
class Batch {
 public:
  Batch(const TaskShape& shape, std::size_t most_episodes, std::size_t most_tokens);
  Batch(Batch&&) = default;
  Batch& operator=(Batch&&) = default;

  /// Makes room for one episode of each case; contents are undefined until they are filled.
  void plan(const Task& task, std::span<const EpisodeCase> cases) { plan(task, cases, 0, 0); }
  /// The same, but the first `pieces` have `rows` rows each, whatever their cases.
  void plan(const Task& task, std::span<const EpisodeCase> cases, std::size_t pieces, std::size_t rows);
  /// Plans the batch and fills it with the episodes first.index, first.index + 1, ... Allocates nothing.
  void fill(const Task& task, EpisodeSource& source, std::span<const EpisodeCase> cases, EpisodeAddress first);

  std::size_t episodes() const { return episodes_; }
  std::size_t tokens() const { return offsets_[episodes_]; }
  /// First row of each episode, and the end of the last one.
  std::span<const std::size_t> offsets() const { return std::span(offsets_).first(episodes_ + 1); }
  /// All the room there is, whatever the plan.
  const EpisodeRows& all() const { return all_; }
  /// All rows, and those of one episode.
  EpisodeRows rows() const { return all_.slice(0, tokens()); }
  EpisodeRows rows(std::size_t episode) const {
    return all_.slice(offsets_[episode], offsets_[episode + 1] - offsets_[episode]);
  }

 private:
  std::size_t episodes_ = 0;
  std::vector<std::size_t> offsets_;
  Buffer<float> inputs_, weights_;
  Buffer<RowMark> marks_;
  Buffer<std::int32_t> labels_;
  Buffer<std::int8_t> groups_;
  Buffer<std::uint8_t> is_final_;
  EpisodeRows all_;
};

}  // namespace schemamem
