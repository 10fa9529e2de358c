#include "cli/eval_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/parse.h"
#include "base/text.h"
#include "catalog/find_model.h"
#include "catalog/places.h"
#include "cli/eval_progress.h"
#include "cli/signals.h"
#include "eval/targets.h"
#include "task/curve_episode.h"

namespace schemamem {
namespace {

constexpr std::int64_t kLargestBatch = 65'536;

/// Where a name is looked for. Runs have their records beside them, so those of `results` come before models that lie
/// elsewhere.
std::vector<std::filesystem::path> places_for_records(const Text& results) {
  std::vector<std::filesystem::path> places{results.value_or("results")};
  if (results) return places;
  for (std::filesystem::path& place : model_places()) {
    if (place != places.front()) places.push_back(std::move(place));
  }
  return places;
}

}  // namespace

std::vector<std::string_view> split_at_commas(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

void EvalOptions::add_names_to(CLI::App& command) {
  command.add_option("RUNS", runs, "Runs, folders of runs, .safetensors files, or names of models")->type_name("RUN");
  command.add_option("--checkpoint", checkpoint, "The same as a name among RUNS: a3v3-schemamem-steady-s42")
      ->type_name("NAME");
  command.add_option("--results", results, "Where --checkpoint looks (results, SCHEMAMEM_MODELS, installed models)")
      ->type_name("DIR");
}

void EvalOptions::add_to(CLI::App& command) {
  add_names_to(command);
  command
      .add_option("--delays", delays, "Delays, or lengths of other tasks, with commas between them; 1 to 1000000000")
      ->type_name("N,N");
  command
      .add_option("--scenarios", scenarios,
                  "immediate, retention, interference, overwrite, or those of another task; commas between them")
      ->type_name("NAME,NAME");
  command.add_option("--episodes", episodes, "Episodes of each scenario and delay")->type_name("N");
  command
      .add_option(
          "--eval-seed", eval_seeds,
          fmt::format("Evaluation seeds ({} of the paper and {}, unseen)", kPaperEvaluationSeed, kUnseenEvaluationSeed))
      ->type_name("N,N");
  add_floor_option(command, floor);
  command.add_option("--threads", threads, "Threads; the result is the same for any number (all cores)")
      ->type_name("N");
  command.add_option("--batch", batch, "Episodes handed out together; the result is the same for any number (128)")
      ->type_name("N");
  command.add_flag("--force", force, "Compute again what the records have");
  command.add_flag("--all", all, "Show every scenario and group, with bit accuracy and cross-entropy");
}

EvalDefaults table_defaults() {
  return {.delays = {96, 192, 384, 768, 1536},
          .scenarios = {Scenario::kImmediate, Scenario::kRetention, Scenario::kInterference, Scenario::kOverwrite}};
}

Result<std::vector<EvaluationRequest>> EvalOptions::read_requests(const EvalDefaults& defaults) const {
  EvaluationRequest request;
  request.paper_delays = defaults.delays;
  request.paper_scenarios = defaults.scenarios;
  auto wanted_delays = read_numbers<std::size_t>(delays, "--delays", {}, 1, kLongestStreamedDelay);
  if (!wanted_delays) return wanted_delays.error();
  request.delays = std::move(wanted_delays).value();
  if (scenarios) {
    for (const std::string_view part : split_at_commas(*scenarios)) request.scenarios.emplace_back(part);
  }
  static_assert(kMostEpisodes <= static_cast<std::int64_t>(CurveEpisode::kMostEpisodes));
  const auto lowest = read_floor(floor);
  if (!lowest) return lowest.error();
  request.floor = *lowest;
  const auto count =
      read_number(episodes, "--episodes", static_cast<std::int64_t>(defaults.episodes), 1, kMostEpisodes);
  if (!count) return count.error();
  const auto seeds = read_numbers<std::uint64_t>(eval_seeds, "--eval-seed",
                                                 {kPaperEvaluationSeed, kUnseenEvaluationSeed}, 0, kLargestSeed);
  if (!seeds) return seeds.error();
  std::vector<EvaluationRequest> requests;
  for (const std::uint64_t seed : *seeds) {
    request.episodes = {.seed = seed, .episodes = static_cast<std::size_t>(*count)};
    requests.push_back(request);
  }
  return requests;
}

Result<EvaluatorOptions> EvalOptions::read_work() const {
  const auto workers = read_threads(threads);
  if (!workers) return workers.error();
  const auto together = read_number(batch, "--batch", kPaperEvaluationBatch, 1, kLargestBatch);
  if (!together) return together.error();
  return EvaluatorOptions{.threads = *workers, .batch = static_cast<std::size_t>(*together)};
}

Result<std::vector<EvalTarget>> EvalOptions::read_targets(Console& console) const {
  std::vector<std::string> names = runs;
  if (checkpoint) names.push_back(*checkpoint);
  if (names.empty()) {
    return Error(ErrorKind::kUsage,
                 "No run was given. Name a run, a folder of runs or a .safetensors file, or a published model, as "
                 "`schemamem models` lists them.");
  }
  std::vector<EvalTarget> weights;
  const auto add = [&](const std::filesystem::path& file, bool published) {
    const auto same = [&](const EvalTarget& one) { return one.weights == file; };
    if (std::none_of(weights.begin(), weights.end(), same)) weights.push_back({file, published});
  };
  for (const std::string& name : names) {
    if (!is_model_path(name)) {
      const auto found = find_model(name, places_for_records(results));
      if (!found) return found.error();
      add(*found, true);
      continue;
    }
    const auto targets = find_targets(name);
    if (!targets) return targets.error();
    for (const auto& file : targets->weights) add(file, false);
    for (const SkippedRun& run : targets->skipped)
      console.err << fmt::format("note: {} is left out: {}\n", escaped(run.folder.string()), escaped(run.reason));
  }
  return weights;
}

Result<EvaluatedRun> open_weights(const EvalTarget& target) {
  auto file = TrainedWeights::load(target.weights);
  if (!file) return file.error();
  return EvaluatedRun{.weights = target.weights,
                      .file = std::make_shared<const TrainedWeights>(std::move(file).value()),
                      .evaluations = {},
                      .published = target.published};
}

Status run_evaluations(std::vector<EvaluatedRun>& runs, const EvaluatorOptions& work, Console& console) {
  std::int64_t tokens = 0;
  for (const EvaluatedRun& run : runs) {
    for (const Evaluation& evaluation : run.evaluations) tokens += evaluation.missing_tokens();
  }
  if (tokens == 0) return Done{};
  const StopOnSignal signals;
  EvalProgress progress(console.err, console.live, tokens);
  for (EvaluatedRun& run : runs) {
    progress.begin(title_of(run.file->about()));
    for (Evaluation& evaluation : run.evaluations) {
      const Status done = evaluation.run(work, signals.flag(), progress);
      if (done && evaluation.not_kept().empty()) continue;
      if (done) {
        progress.close();
        console.err << fmt::format("note: the record cannot be kept, the result is only shown: {}\n",
                                   evaluation.not_kept());
        continue;
      }
      if (done.error().kind() != ErrorKind::kInterrupted) return done.error().with(run.weights.string());
      return Error(ErrorKind::kInterrupted,
                   "stopped on request; what was complete is kept. The same command goes on from there.");
    }
  }
  return Done{};
}

std::string title_of(const EvaluatedCheckpoint& about) {
  std::string title = about.model;
  if (about.task != kFirstTask) title += " " + about.task;
  title += " " + about.setting;
  if (about.seed) title += fmt::format(" seed {}", *about.seed);
  if (!about.recipe.empty()) title += ", " + printable(about.recipe);
  if (!about.hash.empty()) title += fmt::format(" ({})", printable(about.hash));
  return title;
}

std::string protocol_text(const EvaluationProtocol& protocol) {
  const char* known = protocol.eval_seed == kPaperEvaluationSeed    ? " (the paper's)"
                      : protocol.eval_seed == kUnseenEvaluationSeed ? " (unseen)"
                                                                    : "";
  const std::string rounds = protocol.rounds.empty() ? "" : fmt::format("rounds {}, ", protocol.rounds);
  const std::string floor = protocol.floor > 0 ? fmt::format("floor {}", protocol.floor) : "no floor";
  return fmt::format("{}evaluation seed {}{}, {} episodes, {}", rounds, protocol.eval_seed, known, protocol.episodes,
                     floor);
}

}  // namespace schemamem
