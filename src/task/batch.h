#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/memory.h"
#include "base/threads.h"
#include "base/view.h"
#include "task/episode.h"
#include "task/episode_stream.h"
#include "task/task_case.h"

namespace schemamem {

/// Rows for T tokens, owned by someone else.
struct EncodedTokens {
  View<float, 2> inputs;             // [T, a + v + 1] address bits, value bits, validity bit; least significant first
  View<float, 2> targets;            // [T, v] bits of the expected value; zero for a write
  std::span<std::int32_t> labels;    // [T] the expected value; -1 for a write
  std::span<Group> groups;           // [T]
  std::span<std::uint8_t> is_final;  // [T] 1 in the last query segment

  std::size_t size() const { return labels.size(); }
  EncodedTokens slice(std::size_t first, std::size_t count) const;
};

/// Writes the inputs of tokens as bits: one row [a + v + 1] each.
void encode_inputs(const Setting& setting, std::span<const Token> tokens, View<float, 2> inputs);
/// Writes one episode as bits into exactly as many rows.
void encode(const Setting& setting, std::span<const Token> tokens, const EncodedTokens& out);

/// Episodes one behind the other, of any scenarios and lengths of one setting. Memory is asked for once.
class Batch {
 public:
  Batch(const Setting& setting, std::size_t most_episodes, std::size_t most_tokens);
  Batch(Batch&&) = default;
  Batch& operator=(Batch&&) = default;

  /// Makes room for one episode of each case; contents are undefined until they are filled.
  void plan(std::span<const TaskCase> cases);
  /// Encodes episode `episode` of the plan.
  void put(std::size_t episode, std::span<const Token> tokens);

  const Setting& setting() const { return setting_; }
  std::size_t episodes() const { return episodes_; }
  std::size_t tokens() const { return offsets_[episodes_]; }
  /// First row of each episode, and the end of the last one.
  std::span<const std::size_t> offsets() const { return std::span(offsets_).first(episodes_ + 1); }
  /// Counted from the episode's first token.
  const SegmentEnds& segments(std::size_t episode) const { return segments_[episode]; }
  /// All rows, and those of one episode.
  EncodedTokens rows() const { return all_.slice(0, tokens()); }
  EncodedTokens rows(std::size_t episode) const {
    return all_.slice(offsets_[episode], offsets_[episode + 1] - offsets_[episode]);
  }

 private:
  Setting setting_;
  std::size_t episodes_ = 0;
  std::vector<std::size_t> offsets_;
  std::vector<SegmentEnds> segments_;
  Buffer<float> inputs_, targets_;
  Buffer<std::int32_t> labels_;
  Buffer<Group> groups_;
  Buffer<std::uint8_t> is_final_;
  EncodedTokens all_;
};

/// Fills batches from addressed streams, one EpisodeMaker a thread.
class BatchFiller {
 public:
  /// `longest_episode` in tokens.
  BatchFiller(const Setting& setting, std::size_t longest_episode, int threads);

  /// Plans `batch` for `cases` and fills it with the episodes first.index, first.index + 1, ... The result is the same
  /// for any number of threads. Allocates nothing.
  void fill(std::span<const TaskCase> cases, const EpisodeAddress& first, ThreadPool& pool, Batch& batch);

 private:
  struct Desk {
    EpisodeMaker maker;
    std::vector<Token> tokens;
  };
  std::vector<Desk> desks_;
};

}  // namespace schemamem
