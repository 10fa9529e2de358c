#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/numpy_random.h"
#include "task/assemble.h"
#include "task/evaluation_seeds.h"
#include "task/task_case.h"

namespace schemamem {

inline constexpr std::size_t kPaperEvaluationEpisodes = 512;
/// Random numbers are drawn for this many episodes together, which decides what each of them gets.
inline constexpr std::size_t kPaperEvaluationBatch = 128;

struct EvaluationOptions {
  std::uint64_t seed = kPaperEvaluationSeed;
  std::size_t episodes = kPaperEvaluationEpisodes;
};

/// Checks the case, and that the paper has evaluation episodes of its kind (transactions are for training only).
Status check_evaluation(const TaskCase& request, std::int64_t longest_delay = kLongestDelay);

/// One of the paper's evaluation episodes. Its delay, which stands between before() and questions(), is drawn token by
/// token, so that its length costs no memory.
class EvaluationEpisode {
 public:
  std::span<const Token> before() const { return {tokens_.data(), tokens_.size() - setting_.addresses()}; }
  Token next_filler() { return filler(setting_, never_written_[random_.integer(never_written_.size())]); }
  /// The final queries, one for every address.
  std::span<const Token> questions() const { return std::span(tokens_).last(setting_.addresses()); }

 private:
  friend class EvaluationEpisodes;

  Setting setting_;
  std::vector<Token> tokens_;  // the episode without its delay
  std::vector<Number> never_written_;
  NumpyRandom random_{0};
};

/// The paper's evaluation episodes, to the bit, one after the other: NumPy's default_rng(seed + 1009 * index + delay),
/// batches of 128, the last one smaller if need be. Memory does not grow with the delay unless whole episodes are asked
/// for: a filler costs exactly one 32-bit draw (N/2 is a power of two, so none is rejected), and each episode finds its
/// own fillers again by jumping.
class EvaluationEpisodes {
 public:
  explicit EvaluationEpisodes(const TaskCase& request, EvaluationOptions options = {});

  /// The next episode whole, valid until the next call; empty behind the last one. The delay is at most kLongestDelay.
  std::span<const Token> next();
  /// The next episode, its delay still to be drawn; false behind the last one.
  bool next(EvaluationEpisode& episode);

 private:
  void draw_batch(std::size_t rows);
  void draw_values(std::size_t rows, Places at, std::size_t first_write);
  bool is_offending(std::size_t row, std::size_t place, Number value) const;

  TaskCase case_;
  EpisodeSize size_;
  std::size_t remaining_;
  NumpyRandom random_;

  std::size_t rows_ = 0, row_ = 0;    // of the current batch
  std::vector<Number> order_;         // [rows, N]
  std::vector<Number> current_;       // [rows, N] what each address holds, by address
  std::vector<Number> written_;       // [rows, writes]
  std::vector<Number> asked_;         // [rows, queries]
  std::vector<NumpyRandom> fillers_;  // [rows] where each row's fillers begin
  std::vector<AddressState> database_;
  EvaluationEpisode whole_;
  std::vector<Token> tokens_;
};

/// SHA-256 over the records of all tokens in order: five little-endian int32 each, address, value, label, group, final.
std::string evaluation_hash(const TaskCase& request, EvaluationOptions options = {});

}  // namespace schemamem
