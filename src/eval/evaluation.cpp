#include "eval/evaluation.h"

#include <fmt/format.h>

#include <algorithm>

namespace schemamem {
namespace {

namespace fs = std::filesystem;

bool is_available(Isa isa) {
  const auto isas = available_isas();
  return std::find(isas.begin(), isas.end(), isa) != isas.end();
}

EvaluationProtocol protocol_of(const EvaluationRequest& request, Isa isa) {
  return {.kind = request.kind,
          .mode = std::string(mode_name(request.mode)),
          .eval_seed = request.episodes.seed,
          .episodes = static_cast<std::int64_t>(request.episodes.episodes),
          .isa = std::string(isa_name(isa))};
}

}  // namespace

Status check_ablation(const std::string& model) {
  if (model == "schemamem") return Done{};
  return Error(ErrorKind::kUsage,
               fmt::format("Only schemamem can be evaluated with S = 0: {} has no phase memory S that could be cleared "
                           "after a commit. Name runs of schemamem.",
                           model));
}

Result<Evaluation> Evaluation::open(const fs::path& path, std::shared_ptr<const TrainedWeights> weights,
                                    const EvaluationRequest& request, Isa isa, bool force) {
  if (request.mode == Mode::kAblated) {
    if (const Status possible = check_ablation(weights->about().model); !possible) return possible.error();
  }
  Evaluation evaluation(weights, request);
  EvaluationRecord& record = evaluation.record_;
  record = {.checkpoint = weights->about(), .protocol = protocol_of(request, isa)};
  evaluation.path_ = evaluation_folder(path) / evaluation_file_name(record.protocol);
  evaluation.isa_ = isa;
  if (fs::exists(evaluation.path_)) {
    Result<EvaluationRecord> found = load_evaluation(evaluation.path_);
    if (!found && !force)
      return Error(found.error().kind(),
                   found.error().message() + ". Add --force to evaluate again and replace the record.");
    if (found) {
      const auto found_isa = isa_from_name(found->protocol.isa);
      EvaluationProtocol same = found->protocol;
      same.isa = record.protocol.isa;
      const bool goes_on = found->checkpoint.sha256 == record.checkpoint.sha256 && same == record.protocol;
      if (goes_on && (!force || found_isa == isa)) {
        record = std::move(found).value();
        evaluation.isa_ = found_isa.value_or(isa);
      }
    }
  }
  evaluation.plan(force);
  if (evaluation.missing_cells_ > 0 && record.protocol.isa != isa_name(isa) &&
      (!isa_from_name(record.protocol.isa) || !is_available(evaluation.isa_))) {
    return Error(ErrorKind::kUsage,
                 fmt::format("{} was begun with the instruction set {}, which this machine or build does not have; "
                             "its cells would not fit together. Evaluate on a machine that has it, or add --force to "
                             "begin the record anew with {}.",
                             evaluation.path_.string(), record.protocol.isa, isa_name(isa)));
  }
  return evaluation;
}

std::vector<std::size_t> Evaluation::delays_of(Scenario scenario) const {
  return info(scenario).takes_delay() ? request_.delays : std::vector<std::size_t>{0};
}

bool Evaluation::has(Scenario scenario, std::size_t delay) const {
  const auto scored = info(scenario).scored;
  return std::all_of(scored.begin(), scored.end(), [&](Group group) {
    return record_.find(info(scenario).name, static_cast<std::int64_t>(delay), group_name(group)) != nullptr;
  });
}

void Evaluation::plan(bool force) {
  for (const Scenario scenario : request_.scenarios) {
    Task task{.scenario = scenario, .delays = {}};
    for (const std::size_t delay : delays_of(scenario)) {
      if (!force && has(scenario, delay)) continue;
      missing_cells_ += info(scenario).scored.size();
      task.delays.push_back(delay);
      if (request_.kind == "curve") continue;
      tasks_.push_back(task);
      task.delays.clear();
    }
    if (!task.delays.empty()) tasks_.push_back(std::move(task));
  }
}

std::int64_t Evaluation::missing_tokens() const {
  std::int64_t tokens = 0;
  for (const Task& task : tasks_)
    tokens += curve_tokens(weights_->setting(), task.scenario, task.delays, request_.episodes.episodes);
  return tokens;
}

std::vector<EvaluationCell> Evaluation::asked_cells() const {
  std::vector<EvaluationCell> cells;
  for (const EvaluationCell& cell : record_.cells) {
    const bool asked = std::any_of(request_.scenarios.begin(), request_.scenarios.end(), [&](Scenario scenario) {
      const auto delays = delays_of(scenario);
      return info(scenario).name == cell.scenario &&
             std::find(delays.begin(), delays.end(), static_cast<std::size_t>(cell.delay)) != delays.end();
    });
    if (asked) cells.push_back(cell);
  }
  return cells;
}

Status Evaluation::run(const EvaluatorOptions& options, const StopFlag& stop, EvaluationObserver& observer) {
  if (tasks_.empty()) return Done{};
  const auto model = weights_->model(isa_);
  if (!model) return model.error();
  Evaluator evaluator(*model, weights_->setting(), request_.mode, options);
  for (const Task& task : tasks_) {
    Result<std::vector<EvaluationCell>> cells =
        request_.kind == "curve"
            ? evaluator.curve(task.scenario, task.delays, request_.episodes, stop, observer)
            : evaluator.table(task.scenario, task.delays.front(), request_.episodes, stop, observer);
    if (!cells) return cells.error();
    if (const Status saved = add_to_evaluation(path_, record_, std::move(cells).value()); !saved) return saved;
  }
  tasks_.clear();
  return Done{};
}

}  // namespace schemamem
