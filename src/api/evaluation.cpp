#include "api/access.h"
#include "api/own_task.h"

#include <schemamem/evaluation.h>

#include <algorithm>

namespace schemamem {
inline namespace v0 {
namespace {

using impl::Access;
using impl::public_error;

/// The task that a model's file names.
inside::Result<std::shared_ptr<const inside::Task>> task_of(const LoadedModel<float>& model) {
  const auto task = model.notes().find("task"), setting = model.notes().find("setting");
  if (setting == model.notes().end()) {
    return inside::Error(inside::ErrorKind::kUsage,
                         "The model's file names no task and setting. Evaluate it on a task of your own.");
  }
  return make_task(task == model.notes().end() ? kFirstTask : std::string_view(task->second), setting->second);
}

inside::Status check_shape(const LoadedModel<float>& model, const inside::Task& task) {
  const ModelConfig& config = model.model().config();
  const inside::TaskShape shape = task.shape();
  if (config.inputs == shape.inputs && config.outputs == shape.outputs && config.symbols == shape.symbols)
    return Done{};
  const auto text = [](std::size_t inputs, bool symbols, std::size_t outputs) {
    return std::to_string(inputs) + (symbols ? " symbols" : " numbers") + " in and " + std::to_string(outputs) + " out";
  };
  return inside::Error(inside::ErrorKind::kUsage,
                       "The task " + std::string(task.name()) + " has " +
                           text(shape.inputs, shape.symbols, shape.outputs) + ", the model " +
                           text(config.inputs, config.symbols, config.outputs) + ". Train a model on this task first.");
}

Result<Scores> score(const Model& model, std::shared_ptr<const inside::Task> task, std::span<const EpisodeCase> cases,
                     const EvaluateOptions& options) {
  if (const auto fits = check_shape(*Access::loaded(model), *task); !fits) return public_error(fits.error());
  if (options.episodes == 0) return Error(ErrorKind::kUsage, "evaluate: expected at least one episode, found 0.");
  Evaluator evaluator(Access::loaded(model), std::move(task), Mode::kRecurrent,
                      {.threads = impl::threads_of(options.threads)});
  EvaluationObserver nobody;
  const StopFlag never{false};
  Scores scores;
  for (const EpisodeCase& one : cases) {
    const auto cells = evaluator.table(one, {.seed = options.seed, .episodes = options.episodes}, never, nobody);
    if (!cells) return public_error(cells.error());
    for (const EvaluationCell& cell : *cells) {
      scores.cells.push_back({.scenario = cell.scenario,
                              .delay = static_cast<std::size_t>(cell.delay),
                              .group = cell.group,
                              .asked = cell.asked,
                              .right = cell.right});
    }
  }
  return scores;
}

}  // namespace

double Scores::lowest() const {
  double lowest = cells.empty() ? 0 : 100;
  for (const Score& score : cells) lowest = std::min(lowest, score.accuracy());
  return lowest;
}

Result<Scores> evaluate(const Model& model, const EvaluateOptions& options) {
  auto task = task_of(*Access::loaded(model));
  if (!task) return public_error(task.error());
  EvaluationRequest request;
  request.scenarios = options.scenarios;
  request.delays = options.delays;
  request.paper_scenarios = {Scenario::kImmediate, Scenario::kRetention, Scenario::kInterference, Scenario::kOverwrite};
  request.paper_delays = {kStageDelays[std::size(kStageDelays) - 1]};
  const auto cases = evaluated_cases(**task, request);
  if (!cases) return public_error(cases.error());
  return score(model, std::move(task).value(), *cases, options);
}

Result<Scores> evaluate(const Model& model, const Task& task, const EvaluateOptions& options) {
  if (!options.scenarios.empty() || !options.delays.empty())
    return Error(ErrorKind::kUsage,
                 "evaluate: scenarios and delays are those of tasks of the library; leave them out.");
  // The task outlives this call, and nothing else keeps it.
  const auto own = std::make_shared<const impl::OwnTask>(std::shared_ptr<const Task>(&task, [](const Task*) {}));
  const EpisodeCase one = own->episodes();
  return score(model, own, {&one, 1}, options);
}

}  // namespace v0
}  // namespace schemamem
