#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/parse.h"
#include "base/result.h"
#include "cli/console.h"
#include "cli/task_options.h"
#include "eval/evaluation.h"

namespace schemamem {

/// What a command evaluates of the address-value task unless told otherwise.
struct EvalDefaults {
  std::vector<std::size_t> delays;
  std::vector<Scenario> scenarios;
  std::size_t episodes = kPaperEvaluationEpisodes;
};

/// What the paper's tables ask.
EvalDefaults table_defaults();

std::vector<std::string_view> split_at_commas(std::string_view text);
/// Numbers with commas between them: sorted, each once.
template <class T>
Result<std::vector<T>> read_numbers(const Text& text, std::string_view flag, std::vector<T> fallback,
                                    std::int64_t least, std::int64_t most) {
  if (!text) return fallback;
  std::vector<T> numbers;
  for (const std::string_view part : split_at_commas(*text)) {
    const auto number = parse_integer(part, flag, least, most);
    if (!number) return number.error();
    numbers.push_back(static_cast<T>(*number));
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

/// A file of weights, and whether it was found by its name: then it is a published one, and nothing is put beside it.
struct EvalTarget {
  std::filesystem::path weights;
  bool published = false;
};

/// The options that `eval` and `ablate` share.
struct EvalOptions {
  std::vector<std::string> runs;
  Text checkpoint, results, delays, scenarios, episodes, eval_seeds, floor, threads, batch;
  bool force = false;
  bool all = false;

  void add_to(CLI::App& command);
  /// Only those that name weights.
  void add_names_to(CLI::App& command);

  /// Requests, one for each evaluation seed.
  Result<std::vector<EvaluationRequest>> read_requests(const EvalDefaults& defaults) const;
  Result<EvaluatorOptions> read_work() const;
  /// Runs that are left out are told on `console.err`.
  Result<std::vector<EvalTarget>> read_targets(Console& console) const;
};

/// A file of weights and everything that is asked about it.
struct EvaluatedRun {
  std::filesystem::path weights;
  std::shared_ptr<const TrainedWeights> file;
  std::vector<Evaluation> evaluations;
  bool published = false;

  /// Adds what is asked about it.
  void add(Evaluation evaluation) {
    if (published) evaluation.only_look();
    evaluations.push_back(std::move(evaluation));
  }
};

/// Opens a file of weights, with nothing asked about it yet.
Result<EvaluatedRun> open_weights(const EvalTarget& target);

/// Runs whatever is missing, with a progress bar over all of it. An interrupted evaluation keeps what is complete.
Status run_evaluations(std::vector<EvaluatedRun>& runs, const EvaluatorOptions& work, Console& console);

/// "schemamem A3V3 seed 42, fast (1a2b3c4d)"
std::string title_of(const EvaluatedCheckpoint& about);
/// "evaluation seed 20261001 (the paper's), 512 episodes"
std::string protocol_text(const EvaluationProtocol& protocol);

}  // namespace schemamem
