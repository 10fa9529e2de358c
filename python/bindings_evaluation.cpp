#include "bindings.h"
#include "watch.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

namespace schemamem::python {
namespace {

/// What is asked, in words: kind is "table" or "curve", mode "recurrent" or "ablated".
struct Question {
  std::string kind, mode;
  std::vector<std::string> scenarios;
  std::vector<std::size_t> delays;
  std::size_t episodes;
  std::uint64_t seed;
  double floor;
  int threads;
};

/// What the program asks unless told otherwise.
EvaluationRequest request_of(const Question& question) {
  EvaluationRequest request;
  request.kind = question.kind;
  request.floor = question.floor;
  request.scenarios = question.scenarios;
  request.delays = question.delays;
  std::sort(request.delays.begin(), request.delays.end());
  request.delays.erase(std::unique(request.delays.begin(), request.delays.end()), request.delays.end());
  request.episodes = {.seed = question.seed, .episodes = question.episodes};
  request.paper_scenarios = {Scenario::kRetention, Scenario::kInterference, Scenario::kOverwrite};
  if (question.kind == "table") request.paper_scenarios.push_back(Scenario::kImmediate);
  request.paper_delays = {kStageDelays[std::size(kStageDelays) - 1]};
  return request;
}

std::shared_ptr<const inside::Task> task_of(const LoadedModel<float>& model) {
  const auto task = model.notes().find("task"), setting = model.notes().find("setting");
  if (setting == model.notes().end())
    throw Failure::usage("evaluate: the model's file names no task and setting, so there are no episodes to ask.");
  auto made =
      take(make_task(task == model.notes().end() ? kFirstTask : std::string_view(task->second), setting->second));
  const inside::TaskShape shape = made->shape();
  const ModelConfig& config = model.model().config();
  if (config.inputs != shape.inputs || config.outputs != shape.outputs || config.symbols != shape.symbols)
    throw Failure::usage("evaluate: the model's file says " + setting->second + ", but its rows are of other widths.");
  return made;
}

std::vector<EvaluationCell> ask(Evaluator& evaluator, const EvaluationRequest& request,
                                const std::vector<EpisodeCase>& cases, const StopFlag& stop) {
  EvaluationObserver nobody;
  std::vector<EvaluationCell> cells;
  const auto add = [&](std::vector<EvaluationCell> some) {
    std::move(some.begin(), some.end(), std::back_inserter(cells));
  };
  if (request.kind != "curve") {
    for (const EpisodeCase& one : cases) add(take(evaluator.table(one, request.episodes, stop, nobody)));
    return cells;
  }
  for (std::size_t first = 0, last = 0; first < cases.size(); first = last) {  // delays of one scenario together
    std::vector<std::size_t> delays;
    for (; last < cases.size() && cases[last].scenario == cases[first].scenario; ++last)
      delays.push_back(cases[last].delay);
    add(take(evaluator.curve(cases[first].scenario, delays, request.episodes, stop, nobody)));
  }
  return cells;
}

nb::list evaluate(const v0::Model& model, const std::string& kind, const std::string& mode,
                  const std::vector<std::string>& scenarios, const std::vector<std::size_t>& delays,
                  std::size_t episodes, std::uint64_t seed, double floor, int threads) {
  const EvaluationRequest request = request_of({kind, mode, scenarios, delays, episodes, seed, floor, threads});
  const auto& loaded = impl::Access::loaded(model);
  const Mode how = mode_from_name(mode).value_or(Mode::kRecurrent);
  if (!is_floor(floor)) {
    throw Failure::usage("evaluate: a floor is at least 0, where it is off, and below 1; found " +
                         std::to_string(floor));
  }
  if (episodes == 0) throw Failure::usage("evaluate: expected at least one episode, found 0.");
  const auto task = task_of(*loaded);
  const auto cases = take(evaluated_cases(*task, request));
  StopFlag stop{false};
  const std::vector<EvaluationCell> cells = watched(stop, [&] {
    Evaluator evaluator(loaded, task, how, {.threads = impl::threads_of(threads)}, request.floor);
    return ask(evaluator, request, cases, stop);
  });
  nb::list rows;
  for (const EvaluationCell& cell : cells) rows.append(dict_of(cell));
  return rows;
}

}  // namespace

nb::dict dict_of(const EvaluationCell& cell) {
  nb::dict row;
  row["scenario"] = cell.scenario;
  row["delay"] = cell.delay;
  row["group"] = cell.group;
  row["asked"] = cell.asked;
  row["right"] = cell.right;
  row["exact"] = cell.exact_percent();
  row["bit"] = cell.bit_percent();
  row["cross_entropy"] = cell.cross_entropy ? nb::object(nb::float_(*cell.cross_entropy)) : nb::none();
  return row;
}

void bind_evaluation(nb::module_& core) { core.def("evaluate", &evaluate); }

}  // namespace schemamem::python
