#include <fmt/format.h>

#include <array>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/eval_commands.h"
#include "cli/eval_options.h"
#include "cli/eval_tables.h"

namespace schemamem {
namespace {

using Json = nlohmann::ordered_json;

struct EvalCommand {
  EvalOptions options;
  bool curve = false;
  Text writes, rounds;
};

const EvalDefaults kCurve{.delays = {1536, 6144, 24576, 98304},
                          .scenarios = {Scenario::kRetention, Scenario::kInterference, Scenario::kOverwrite},
                          .episodes = 64};

const EvalDefaults kWrites{.delays = {}, .scenarios = {}, .episodes = 64};
/// Beyond this, counting them is no evaluation.
constexpr std::int64_t kMostWrites = 1'000'000'000;

Json json_of(const EvaluatedRun& run, const Evaluation& evaluation) {
  const EvaluationRecord& record = evaluation.record();
  return {{"weights", run.weights.string()},
          {"record", evaluation.path().string()},
          {"sha256", record.checkpoint.sha256},
          {"model", record.checkpoint.model},
          {"task", record.checkpoint.task},
          {"setting", record.checkpoint.setting},
          {"seed", record.checkpoint.seed ? Json(*record.checkpoint.seed) : Json()},
          {"recipe", record.checkpoint.recipe},
          {"kind", record.protocol.kind},
          {"mode", record.protocol.mode},
          {"eval_seed", record.protocol.eval_seed},
          {"episodes", record.protocol.episodes},
          {"instruction_set", record.protocol.isa},
          {"floor", record.protocol.floor},
          {"rounds", record.protocol.rounds.empty() ? Json() : Json(record.protocol.rounds)},
          {"computed_cells", evaluation.missing_cells()},
          {"exact", named_json(evaluation.asked_cells())},
          {"cells", cells_json(evaluation.asked_cells())}};
}

/// Numbers of writes down; all addresses and those of each age across.
std::string writes_table(const Evaluation& evaluation) {
  const EvaluationRecord& record = evaluation.record();
  constexpr std::array<std::string_view, 4> kAges{"updated", "retained", "rewritten", "default"};
  std::string text = fmt::format("{:>12}{:>12}", "writes", "all");
  for (const std::string_view age : kAges) text += fmt::format("{:>12}", age);
  text += '\n';
  std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> all;  // right and asked by number of writes
  for (const EvaluationCell& cell : evaluation.asked_cells()) {
    all[cell.delay].first += cell.right;
    all[cell.delay].second += cell.asked;
  }
  for (const auto& [writes, count] : all) {
    text += fmt::format("{:>12}{:>12.2f}", writes,
                        100.0 * static_cast<double>(count.first) / static_cast<double>(count.second));
    for (const std::string_view age : kAges) {
      const EvaluationCell* cell = record.find("rounds", writes, age);
      text += cell != nullptr ? fmt::format("{:>12.2f}", cell->exact_percent()) : fmt::format("{:>12}", "-");
    }
    text += '\n';
  }
  return text;
}

Status show(const std::vector<EvaluatedRun>& runs, bool all, Console& console) {
  if (console.json) {
    Json evaluations = Json::array();
    for (const EvaluatedRun& run : runs) {
      for (const Evaluation& evaluation : run.evaluations) evaluations.push_back(json_of(run, evaluation));
    }
    return console.print(Json{{"evaluations", evaluations}}.dump() + "\n");
  }
  for (const EvaluatedRun& run : runs) {
    std::string text =
        fmt::format("{}  {}\n", console.paint.bold(title_of(run.file->about())), escaped(run.weights.string()));
    const bool has_columns = run.file->about().task == kFirstTask;  // the paper's
    for (const Evaluation& evaluation : run.evaluations) {
      text += fmt::format("{}, exact values in %{}\n", protocol_text(evaluation.record().protocol),
                          evaluation.missing_cells() == 0 ? console.paint.dim(", from the record") : "");
      const bool writes = !evaluation.record().protocol.rounds.empty();
      text += all || !has_columns ? whole_table(evaluation.asked_cells())
              : writes            ? writes_table(evaluation)
                                  : named_table(evaluation.asked_cells());
    }
    if (const Status printed = console.print(text + "\n"); !printed) return printed;
  }
  return Done{};
}

Status eval(const EvalCommand& command, Console& console) {
  const EvalOptions& options = command.options;
  if (command.writes && (command.curve || options.delays || options.scenarios)) {
    return Error(ErrorKind::kUsage,
                 "--writes asks after numbers of writes, without --curve, --delays and --scenarios. "
                 "Ask for the two one after the other.");
  }
  if (command.rounds && !command.writes)
    return Error(ErrorKind::kUsage,
                 "--rounds says how writes follow each other; add --writes, such as --writes 8,64,1024.");
  auto requests = options.read_requests(command.writes ? kWrites : command.curve ? kCurve : table_defaults());
  if (!requests) return requests.error();
  const auto rounds = parse_rounds(command.rounds.value_or(Rounds().name()));
  if (!rounds) return rounds.error();
  const auto marks = read_numbers<std::size_t>(command.writes, "--writes", {}, 1, kMostWrites);
  if (!marks) return marks.error();
  for (EvaluationRequest& request : requests.value()) {
    request.kind = command.writes ? "writes" : command.curve ? "curve" : "table";
    request.rounds = *rounds;
    if (command.writes) request.delays = *marks;
  }
  const auto work = options.read_work();
  if (!work) return work.error();
  const auto targets = options.read_targets(console);
  if (!targets) return targets.error();
  std::vector<EvaluatedRun> runs;
  for (const EvalTarget& target : *targets) {
    auto run = open_weights(target);
    if (!run) return run.error();
    for (const EvaluationRequest& request : *requests) {
      auto evaluation = Evaluation::open(target.weights, run->file, request, console.isa, options.force);
      if (!evaluation) return evaluation.error();
      run.value().add(std::move(evaluation).value());
    }
    runs.push_back(std::move(run).value());
  }
  if (const Status done = run_evaluations(runs, *work, console); !done) return done;
  return show(runs, options.all, console);
}

}  // namespace

void register_eval(CLI::App& program, Commands& commands) {
  const auto options = std::make_shared<EvalCommand>();
  CLI::App& command =
      commands.add(program, "eval", "Score trained weights on the paper's evaluation episodes, or over a delay curve.",
                   "schemamem eval runs/schemamem-A3V3-fast-s42-1a2b3c4d\n"
                   "schemamem eval results/fast --delays 384,1536 --eval-seed 20261001 --json\n"
                   "schemamem eval a3v3-schemamem-steady-s42 --curve --delays 1536,98304,1000000\n"
                   "schemamem eval a3v3-gdn-steady-s42 --writes 8,64,1024");
  options->options.add_to(command);
  command.add_flag("--curve", options->curve,
                   "One long stream an episode, forked at each delay (1536,6144,24576,98304; 64 episodes)");
  command
      .add_option("--writes", options->writes,
                  "Instead: one endless stream of writes and queries an episode, asked for all addresses after so many "
                  "writes (64 episodes)")
      ->type_name("N,N");
  command.add_option("--rounds", options->rounds, "What a round of --writes is: two writes, eight queries (W2R8)")
      ->type_name("ROUNDS");
  commands.on(command, [options](Console& console) { return eval(*options, console); });
}

}  // namespace schemamem
