/// \file
/// How many answers of a model are right.
///
/// \code{.cpp}
/// #include <schemamem/evaluation.h>
///
/// #include <cstdio>
///
/// int main() {
///   const auto model = schemamem::Model::load("a3v3-schemamem-steady-s42");
///   if (!model) return std::puts(model.error().message().c_str()), 1;
///   const auto scores = schemamem::evaluate(*model, {.episodes = 8, .scenarios = {"retention"}, .delays = {384}});
///   if (!scores) return std::puts(scores.error().message().c_str()), 1;
///   for (const schemamem::Score& score : scores->cells)
///     std::printf("%s %s: %.1f %%\n", score.scenario.c_str(), score.group.c_str(), score.accuracy());
///   return scores->lowest() > 90 ? 0 : 1;
/// }
/// \endcode
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <schemamem/error.h>
#include <schemamem/model.h>
#include <schemamem/task.h>

namespace schemamem {
inline namespace v0 {

/// A task of the library: "address-value" with settings A2V2 to A16V16, "mqar" with settings such as V8192L64P8.
struct NamedTask {
  std::string name = "address-value";  ///< which task
  std::string setting = "A3V3";        ///< which of its kind
};

/// The answers to one group of questions.
struct Score {
  std::string scenario;    ///< of the task; "episodes" for a task of one's own
  std::size_t delay = 0;   ///< the length that the scenario was asked with; rows, for a task of one's own
  std::string group;       ///< of the task
  std::int64_t asked = 0;  ///< questions
  std::int64_t right = 0;  ///< exact answers

  /// Right answers in %.
  double accuracy() const { return asked > 0 ? 100.0 * static_cast<double>(right) / static_cast<double>(asked) : 0.0; }
};

/// The scores of all groups.
struct Scores {
  std::vector<Score> cells;  ///< by scenario, delay and group

  /// The lowest accuracy of all cells in %; 0 if there are none.
  double lowest() const;
};

/// What is asked.
struct EvaluateOptions {
  std::size_t episodes = 512;               ///< of each case
  std::uint64_t seed = 20'261'001;          ///< root of the episodes' random streams
  int threads = 0;                          ///< the result is the same for any number; 0: as many as there are cores
  std::vector<std::string> scenarios = {};  ///< of a task of the library; none: those it evaluates
  std::vector<std::size_t> delays = {};     ///< of a task of the library; none: those it evaluates
};

/// Scores a model on the task that its file names.
Result<Scores> evaluate(const Model& model, const EvaluateOptions& options = {});
/// Scores a model on a task of one's own; a task of another shape than the model's is a usage error.
Result<Scores> evaluate(const Model& model, const Task& task, const EvaluateOptions& options = {});

}  // namespace v0
}  // namespace schemamem
