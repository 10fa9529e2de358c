#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "paper/numbers.h"
#include "record/evaluation_record.h"
#include "report/ledger.h"
#include "support/temporary_folder.h"

namespace schemamem::test {

/// A run folder with numbers that a test chooses: what `train`, `eval` and `ablate` would have left behind.
struct MadeRun {
  std::string model = "schemamem", setting = "A3V3", recipe = "fast";
  std::uint64_t seed = 42;
  std::string hash = "00000000";
  std::string status = "passed";  // or "step-limit"; "" for a run that is not finished
  std::int64_t tx_steps = 1000, maint_steps = 3000;
  std::string clip = "1.0";  // a value of the recipe
  std::int64_t episodes = 8;
  /// Right answers per 1,000 to a group of a scenario; the same in every episode but for rounding.
  using Accuracy =
      std::function<int(const std::string& scenario, std::int64_t delay, const std::string& group, bool ablated)>;
  Accuracy per_mille = [](const std::string&, std::int64_t, const std::string&, bool) { return 500; };
  std::string task{};                        // a manifest of before has none
  std::map<std::string, std::string> set{};  // sizes of the model that are not the published ones
};

inline EvaluationCell made_cell(const MadeRun& run, const std::string& scenario, std::int64_t delay,
                                const std::string& group, bool ablated) {
  constexpr std::int64_t kAsked = 1000;
  const std::int64_t right = run.per_mille(scenario, delay, group, ablated);
  EvaluationCell cell{.scenario = scenario,
                      .delay = delay,
                      .group = group,
                      .asked = kAsked,
                      .right = right,
                      .bits = 3 * kAsked,
                      .bits_right = 3 * right,
                      .cross_entropy = 0.5};
  for (std::int64_t i = 0; i < run.episodes; ++i)
    cell.right_by_episode.push_back(right * (i + 1) / run.episodes - right * i / run.episodes);
  return cell;
}

inline EvaluationRecord made_record(const MadeRun& run, bool ablated, std::uint64_t eval_seed,
                                    const std::string& kind = "table") {
  EvaluationRecord record{.checkpoint = {.sha256 = std::string(64, 'a'),
                                         .model = run.model,
                                         .setting = run.setting,
                                         .seed = run.seed,
                                         .recipe = run.recipe,
                                         .hash = run.hash},
                          .protocol = {.kind = kind,
                                       .mode = ablated ? "ablated" : "recurrent",
                                       .eval_seed = eval_seed,
                                       .episodes = run.episodes,
                                       .isa = "baseline"}};
  for (const std::int64_t delay : kPaperDelays) {
    if (ablated && delay != kTrainedDelay && delay != kLongDelay) continue;
    for (const char* scenario : {"retention", "interference", "overwrite"})
      for (const char* group : {"retained", "updated", "default"})
        if (scenario != std::string("retention") || group != std::string("updated"))
          record.put(made_cell(run, scenario, delay, group, ablated));
  }
  return record;
}

inline void write_text(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

/// Writes manifest and result, without evaluations.
inline std::filesystem::path write_bare_run(const std::filesystem::path& runs, const MadeRun& run) {
  using Json = nlohmann::json;
  const auto folder = runs / fmt::format("{}-{}-{}-s{}-{}", run.model, run.setting, run.recipe, run.seed, run.hash);
  Json manifest{{"format", 1},
                {"model", run.model},
                {"setting", run.setting},
                {"seed", run.seed},
                {"recipe", run.recipe},
                {"hash", run.hash},
                {"parameters", 54336},
                {"persistent_elements", 16896},
                {"isa", "baseline"},
                {"environment", {{"cpu", "a processor"}}},
                {"config", {{"optimizer.clip", {{"value", run.clip}, {"origin", "default"}}}}}};
  if (!run.task.empty()) manifest["task"] = run.task;
  if (!run.set.empty()) manifest["model_set"] = run.set;
  write_text(folder / "run.json", manifest.dump(1));
  if (run.status.empty()) return folder;
  Json passed = Json::array();
  passed.push_back({{"name", "transactions-full"}, {"step", run.tx_steps}, {"lowest", 99.0}});
  const Json result{{"status", run.status},
                    {"steps", run.tx_steps + run.maint_steps},
                    {"seconds", 12.5},
                    {"target", run.model == "schemamem" ? 95 : 99},
                    {"passed", passed}};
  write_text(folder / "result.json", result.dump(1));
  return folder;
}

inline void add_record(const std::filesystem::path& folder, const EvaluationRecord& record) {
  write_text(folder / "evaluations" / evaluation_file_name(record.protocol), encode_evaluation(record));
}

/// With the records of the paper's evaluation seed, and of the ablation for SchemaMem.
inline std::filesystem::path write_run(const std::filesystem::path& runs, const MadeRun& run) {
  const auto folder = write_bare_run(runs, run);
  add_record(folder, made_record(run, false, kPaperEvaluationSeed));
  if (run.model == "schemamem") add_record(folder, made_record(run, true, kPaperEvaluationSeed));
  return folder;
}

/// A run of another task, with records of two groups of one scenario at one length.
inline std::filesystem::path write_mqar_run(const std::filesystem::path& runs, MadeRun run = {}) {
  run.task = "mqar";
  run.setting = "V64L32P4";
  const auto folder = write_bare_run(runs, run);
  for (const std::uint64_t eval_seed : {kPaperEvaluationSeed, kUnseenEvaluationSeed}) {
    EvaluationRecord record = made_record(run, false, eval_seed);
    record.checkpoint.task = run.task;
    record.cells.clear();
    for (const char* group : {"early", "late"}) record.put(made_cell(run, "pairs-4", 32, group, false));
    add_record(folder, record);
  }
  return folder;
}

/// All 81 runs, with accuracies that fall with the delay and differ between models, settings and seeds.
inline void write_grid(const std::filesystem::path& runs, const std::string& recipe = "fast") {
  for (std::size_t m = 0; m < kPaperModels.size(); ++m) {
    for (std::size_t s = 0; s < kPaperSettings.size(); ++s) {
      for (const std::uint64_t seed : kPaperSeeds) {
        MadeRun run{.model = std::string(kPaperModels[m].name),
                    .setting = std::string(kPaperSettings[s]),
                    .recipe = recipe,
                    .seed = seed};
        run.per_mille = [m, s, seed](const std::string&, std::int64_t delay, const std::string& group, bool ablated) {
          if (ablated) return group == "default" ? 1000 : 0;
          const int steps = static_cast<int>(std::max<std::int64_t>(0, delay / 384 - 1));
          const int loss = static_cast<int>(60 + 160 * m + 8 * s + 30 * (seed - 42)) * steps;
          return std::max(20, 990 - (group == "default" ? loss / 4 : loss));
        };
        write_run(runs, run);
      }
    }
  }
}

/// A run with this percentage everywhere.
inline MadeRun constant(std::uint64_t seed, int percent, const std::string& status = "passed") {
  MadeRun run{.seed = seed, .status = status};
  run.per_mille = [percent](const auto&, auto, const auto&, bool) { return 10 * percent; };
  return run;
}

inline Ledger ledger_of(const std::filesystem::path& folder) {
  const std::vector<std::filesystem::path> paths{folder};
  auto ledger = Ledger::read(paths);
  require(static_cast<bool>(ledger), ledger ? "" : ledger.error().message());
  return std::move(ledger).value();
}

/// Streams of rounds, asked after 8 and 64 writes; of the first no address was rewritten.
inline EvaluationRecord made_writes(const MadeRun& run, double floor) {
  EvaluationRecord record = made_record(run, false, kPaperEvaluationSeed);
  record.cells.clear();
  record.protocol.kind = "writes";
  record.protocol.rounds = "W2R8";
  record.protocol.floor = floor;
  for (const std::int64_t writes : {8, 64})
    for (const char* group : {"updated", "rewritten"})
      if (writes > 8 || group == std::string("updated")) record.put(made_cell(run, "rounds", writes, group, false));
  return record;
}

}  // namespace schemamem::test
