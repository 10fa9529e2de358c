#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/eval_commands.h"
#include "cli/eval_options.h"

namespace schemamem {
namespace {

using Json = nlohmann::ordered_json;

const EvalDefaults kAblation{.delays = {384, 1536},
                             .scenarios = {Scenario::kRetention, Scenario::kInterference, Scenario::kOverwrite}};

/// The same group of the same episodes, with its memory and without.
struct Pair {
  const EvaluationCell& normal;
  const EvaluationCell& ablated;

  double difference() const { return normal.exact_percent() - ablated.exact_percent(); }
};

Json json_of(const EvaluatedRun& run, const Evaluation& normal, const Evaluation& ablated) {
  const EvaluationRecord& record = ablated.record();
  Json cells = Json::array();
  for (const EvaluationCell& cell : ablated.asked_cells()) {
    const Pair pair{*normal.record().find(cell.scenario, cell.delay, cell.group), cell};
    cells.push_back({{"scenario", cell.scenario},
                     {"delay", cell.delay},
                     {"group", cell.group},
                     {"asked", cell.asked},
                     {"normal", pair.normal.exact_percent()},
                     {"ablated", cell.exact_percent()},
                     {"difference", pair.difference()}});
  }
  return {{"weights", run.weights.string()},
          {"records", {normal.path().string(), ablated.path().string()}},
          {"model", record.checkpoint.model},
          {"setting", record.checkpoint.setting},
          {"seed", record.checkpoint.seed ? Json(*record.checkpoint.seed) : Json()},
          {"recipe", record.checkpoint.recipe},
          {"eval_seed", record.protocol.eval_seed},
          {"episodes", record.protocol.episodes},
          {"floor", record.protocol.floor},
          {"instruction_set", record.protocol.isa},
          {"cells", cells}};
}

std::string text_of(const Evaluation& normal, const Evaluation& ablated, bool all) {
  std::string text = fmt::format("  {:<26} {:>10} {:>9} {:>9} {:>11}\n", all ? "group" : "column", "delay", "normal",
                                 "at zero", "difference");
  const auto row = [&](std::string_view name, const EvaluationCell& cell) {
    const Pair pair{*normal.record().find(cell.scenario, cell.delay, cell.group), cell};
    text += fmt::format("  {:<26} {:>10} {:>9.2f} {:>9.2f} {:>11.2f}\n", name, cell.delay, pair.normal.exact_percent(),
                        cell.exact_percent(), pair.difference());
  };
  const std::vector<EvaluationCell> cells = ablated.asked_cells();
  if (all) {
    for (const EvaluationCell& cell : cells) row(cell.scenario + " " + cell.group, cell);
    return text;
  }
  for (const NamedColumn& column : named_columns()) {
    for (const EvaluationCell& cell : cells) {
      if (cell.scenario == column.scenario && cell.group == column.group) row(column.title, cell);
    }
  }
  return text;
}

Status show(const std::vector<EvaluatedRun>& runs, bool all, Console& console) {
  Json ablations = Json::array();
  for (const EvaluatedRun& run : runs) {
    std::string text =
        fmt::format("{}  {}\n", console.paint.bold(title_of(run.file->about())), escaped(run.weights.string()));
    for (std::size_t i = 0; i < run.evaluations.size(); i += 2) {
      const Evaluation &normal = run.evaluations[i], &ablated = run.evaluations[i + 1];
      ablations.push_back(json_of(run, normal, ablated));
      text += fmt::format("{}, exact values in %\n{}", protocol_text(normal.record().protocol),
                          text_of(normal, ablated, all || run.file->about().task != kFirstTask));
    }
    if (console.json) continue;
    if (const Status printed = console.print(text + "\n"); !printed) return printed;
  }
  return console.json ? console.print(Json{{"ablations", ablations}}.dump() + "\n") : Status(Done{});
}

/// The normal condition and a memory at zero of each evaluation seed, one behind the other.
Result<std::vector<Evaluation>> open_pairs(const EvaluatedRun& run, const std::vector<EvaluationRequest>& requests,
                                           const Console& console, bool force) {
  std::vector<Evaluation> pairs;
  for (EvaluationRequest request : requests) {
    Isa isa = console.isa;
    for (const Mode mode : {Mode::kRecurrent, Mode::kAblated}) {
      request.mode = mode;
      auto evaluation = Evaluation::open(run.weights, run.file, request, isa, force);
      if (!evaluation) return evaluation.error();
      // A pair is computed with one instruction set: that of the record of the normal condition.
      isa = isa_from_name(evaluation->record().protocol.isa).value_or(isa);
      pairs.push_back(std::move(evaluation).value());
    }
  }
  return pairs;
}

Status ablate(const EvalOptions& options, Console& console) {
  const auto requests = options.read_requests(kAblation);
  if (!requests) return requests.error();
  const auto work = options.read_work();
  if (!work) return work.error();
  const auto targets = options.read_targets(console);
  if (!targets) return targets.error();
  std::vector<EvaluatedRun> runs;
  for (const EvalTarget& target : *targets) {
    auto run = open_weights(target);
    if (!run) return run.error();
    auto pairs = open_pairs(*run, *requests, console, options.force);
    if (!pairs) return pairs.error();
    for (Evaluation& one : pairs.value()) run.value().add(std::move(one));
    runs.push_back(std::move(run).value());
  }
  if (const Status done = run_evaluations(runs, *work, console); !done) return done;
  return show(runs, options.all, console);
}

}  // namespace

void register_ablate(CLI::App& program, Commands& commands) {
  const auto options = std::make_shared<EvalOptions>();
  CLI::App& command = commands.add(program, "ablate",
                                   "What the memory is worth: the same episodes with it set to zero after every chunk.",
                                   "schemamem ablate runs/schemamem-A3V3-fast-s42-1a2b3c4d\n"
                                   "schemamem ablate results/fast --delays 384,1536 --json");
  options->add_to(command);
  commands.on(command, [options](Console& console) { return ablate(*options, console); });
}

}  // namespace schemamem
