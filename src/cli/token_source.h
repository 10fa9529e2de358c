#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/task_options.h"
#include "task/episode_stream.h"
#include "task/evaluation_episodes.h"

namespace schemamem {

/// Which episodes of a case: the paper's evaluation set (of --eval-seed), or a training stream of --seed.
struct SourceOptions {
  Text eval_seed, seed;

  void add_to(CLI::App& command);
};

/// Episodes 0, 1, 2, ... of a case, wherever they come from.
class TokenSource {
 public:
  /// `count` episodes will be asked for at most.
  static Result<TokenSource> open(const TaskCase& request, const SourceOptions& options, std::size_t count);

  /// Valid until the next call.
  std::span<const Token> next();

  const TaskCase& request() const { return case_; }
  /// "evaluation" or "train"
  std::string_view kind() const { return evaluation_ ? "evaluation" : "train"; }
  std::uint64_t seed() const { return seed_; }

 private:
  explicit TokenSource(const TaskCase& request) : case_(request) {}

  TaskCase case_;
  std::uint64_t seed_ = 0;
  std::optional<EvaluationEpisodes> evaluation_;
  std::optional<EpisodeMaker> maker_;
  std::uint64_t index_ = 0;
  std::vector<Token> tokens_;
};

/// One episode as one line of JSON: its case, its source and its tokens as [address, value, label, group, final].
std::string episode_json(const TokenSource& source, std::uint64_t index, std::span<const Token> tokens);

}  // namespace schemamem
