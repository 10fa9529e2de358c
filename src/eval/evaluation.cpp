#include "eval/evaluation.h"

#include <fmt/format.h>

#include <fmt/ranges.h>

#include <algorithm>

#include "models/registry.h"
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
          .isa = std::string(isa_name(isa)),
          .rounds = request.kind == "writes" ? request.rounds.name() : "",
          .floor = request.floor};
}

/// Scenarios of the address-value task, each with every delay if it takes one.
Result<std::vector<EpisodeCase>> database_cases(const AddressValueTask& task, const EvaluationRequest& request,
                                                std::vector<std::size_t> scenarios) {
  std::sort(scenarios.begin(), scenarios.end());
  scenarios.erase(std::unique(scenarios.begin(), scenarios.end()), scenarios.end());
  const std::vector<std::size_t>& delays = request.delays.empty() ? request.paper_delays : request.delays;
  std::vector<EpisodeCase> cases;
  for (const std::size_t scenario : scenarios) {
    const bool delayed = info(static_cast<Scenario>(scenario)).takes_delay();
    if (!delayed && request.kind == "curve") {
      return Error(ErrorKind::kUsage,
                   fmt::format("Scenario \"{}\" has no delay and so no curve. Choose retention, interference or "
                               "overwrite.",
                               task.scenarios()[scenario]));
    }
    for (const std::size_t delay : delayed ? delays : std::vector<std::size_t>{0}) {
      cases.push_back({.scenario = scenario, .delay = delay});
      const Status fits = check_evaluation(task.case_of(cases.back()), kLongestStreamedDelay);
      if (!fits) return fits.error();
    }
  }
  return cases;
}

/// Scenarios and lengths of any other task: what it evaluates, or every chosen scenario at every chosen length.
Result<std::vector<EpisodeCase>> chosen_cases(const Task& task, const EvaluationRequest& request,
                                              const std::vector<std::size_t>& scenarios) {
  if (request.kind == "curve") {
    return Error(ErrorKind::kUsage, fmt::format("The task {} has no delay between writing and asking, and so no curve "
                                                "over delays. Leave --curve out.",
                                                task.name()));
  }
  std::vector<EpisodeCase> cases;
  const auto add = [&](const EpisodeCase& one) {
    if (std::find(cases.begin(), cases.end(), one) == cases.end()) cases.push_back(one);
  };
  for (const EpisodeCase& one : task.evaluated()) {
    for (const std::size_t scenario : scenarios.empty() ? std::vector{one.scenario} : scenarios) {
      for (const std::size_t delay : request.delays.empty() ? std::vector{one.delay} : request.delays)
        add({.scenario = scenario, .delay = delay});
    }
  }
  for (const EpisodeCase& one : cases) {
    if (const Status fits = task.check(one); !fits) return fits.error();
  }
  return cases;
}

}  // namespace

Result<std::vector<EpisodeCase>> evaluated_cases(const Task& task, const EvaluationRequest& request) {
  const auto* const database = dynamic_cast<const AddressValueTask*>(&task);
  if (request.kind == "writes") {
    if (database == nullptr) {
      return Error(
          ErrorKind::kUsage,
          fmt::format("The task {} has no addresses that could be written again and again. Leave --writes out.",
                      task.name()));
    }
    std::vector<EpisodeCase> cases;
    for (const std::size_t writes : request.delays) cases.push_back(episode_case(Scenario::kRounds, writes));
    return cases;
  }
  std::vector<std::size_t> scenarios;
  for (const std::string& name : request.scenarios) {
    const auto scenario = task.find_scenario(name);
    if (!scenario) return scenario.error();
    scenarios.push_back(*scenario);
  }
  if (database == nullptr) return chosen_cases(task, request, scenarios);
  for (const Scenario one : request.paper_scenarios) {
    if (request.scenarios.empty()) scenarios.push_back(static_cast<std::size_t>(one));
  }
  return database_cases(*database, request, std::move(scenarios));
}

Result<Evaluation> Evaluation::open(const fs::path& path, std::shared_ptr<const TrainedWeights> weights,
                                    const EvaluationRequest& request, Isa isa, bool force) {
  auto cases = evaluated_cases(*weights->task(), request);
  if (!cases) return cases.error();
  Evaluation evaluation(weights, request);
  evaluation.cases_ = std::move(cases).value();
  EvaluationRecord& record = evaluation.record_;
  record = {.checkpoint = weights->about(), .protocol = protocol_of(request, isa)};
  evaluation.path_ = evaluation_folder(path) / evaluation_file_name(record.protocol);
  evaluation.isa_ = isa;
  if (!is_absent(evaluation.path_)) {
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

bool Evaluation::has(const EpisodeCase& one) const {
  const auto scored = task().scored(one.scenario);
  const auto found = [&](std::int8_t group) {
    return record_.find(task().scenarios()[one.scenario], static_cast<std::int64_t>(one.delay),
                        task().groups()[static_cast<std::size_t>(group)]) != nullptr;
  };
  // After few writes there is nothing of some ages; all that there is was added at once.
  if (request_.kind == "writes") return std::any_of(scored.begin(), scored.end(), found);
  return std::all_of(scored.begin(), scored.end(), found);
}

void Evaluation::plan(bool force) {
  const bool curve = request_.kind != "table";
  for (const EpisodeCase& one : cases_) {
    if (!force && has(one)) continue;
    missing_cells_ += task().scored(one.scenario).size();
    if (!curve || pieces_.empty() || pieces_.back().scenario != one.scenario)
      pieces_.push_back({.scenario = one.scenario, .delays = {}});
    pieces_.back().delays.push_back(one.delay);
  }
}

std::int64_t Evaluation::missing_tokens() const {
  std::int64_t tokens = 0;
  const auto* const database = dynamic_cast<const AddressValueTask*>(&task());
  for (const Piece& piece : pieces_) {
    tokens += request_.kind == "writes"
                  ? writes_tokens(*database, request_.rounds, piece.delays, request_.episodes.episodes)
              : database != nullptr ? curve_tokens(*database, piece.scenario, piece.delays, request_.episodes.episodes)
                                    : table_tokens(task(), {.scenario = piece.scenario, .delay = piece.delays.back()},
                                                   request_.episodes.episodes);
  }
  return tokens;
}

std::vector<EvaluationCell> Evaluation::asked_cells() const {
  std::vector<EvaluationCell> cells;
  for (const EvaluationCell& cell : record_.cells) {
    const bool asked = std::any_of(cases_.begin(), cases_.end(), [&](const EpisodeCase& one) {
      return task().scenarios()[one.scenario] == cell.scenario && static_cast<std::int64_t>(one.delay) == cell.delay;
    });
    if (asked) cells.push_back(cell);
  }
  return cells;
}

Status Evaluation::keep(std::vector<EvaluationCell> cells) {
  if (keeps_) {
    const Status saved = add_to_evaluation(path_, record_, cells);
    if (saved || saved.error().kind() != ErrorKind::kCannotCreate) return saved;
    not_kept_ = saved.error().message();
    keeps_ = false;
  }
  for (EvaluationCell& cell : cells) record_.put(std::move(cell));
  return Done{};
}

Status Evaluation::run(const EvaluatorOptions& options, const StopFlag& stop, EvaluationObserver& observer) {
  if (pieces_.empty()) return Done{};
  const auto model = weights_->model(isa_);
  if (!model) return model.error();
  Evaluator evaluator(*model, weights_->task(), request_.mode, options, request_.floor);
  if (evaluator.threads() < options.threads) observer.short_of_threads(options.threads, evaluator.threads());
  for (const Piece& piece : pieces_) {
    Result<std::vector<EvaluationCell>> cells =
        request_.kind == "writes"  ? evaluator.writes(request_.rounds, piece.delays, request_.episodes, stop, observer)
        : request_.kind == "curve" ? evaluator.curve(piece.scenario, piece.delays, request_.episodes, stop, observer)
                                   : evaluator.table({.scenario = piece.scenario, .delay = piece.delays.front()},
                                                     request_.episodes, stop, observer);
    if (!cells) return cells.error();
    if (const Status kept = keep(std::move(cells).value()); !kept) return kept;
  }
  pieces_.clear();
  return Done{};
}

}  // namespace schemamem
