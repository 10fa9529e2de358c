#pragma once

#include <memory>
#include <optional>

#include "task/evaluation_episodes.h"
#include "task/task.h"

namespace schemamem {

class AddressValueTask;

/// The evaluation episodes of a case as rows, one after the other: those that a model is asked (eval/evaluator.h), the
/// paper's own for the task that has some. The task outlives it.
class EvaluationRows {
 public:
  /// Whether there are such episodes; a usage error says why not.
  static Status check(const Task& task, const EpisodeCase& request);

  EvaluationRows(const Task& task, const EpisodeCase& request, const EvaluationOptions& options);

  /// The next one, into exactly task.tokens(request) rows; as many calls as there are episodes.
  void next(const EpisodeRows& out);

 private:
  const AddressValueTask* database_;
  EpisodeCase case_;
  std::uint64_t seed_;
  std::uint64_t index_ = 0;
  std::optional<EvaluationEpisodes> paper_;
  std::unique_ptr<EpisodeSource> source_;
};

}  // namespace schemamem
