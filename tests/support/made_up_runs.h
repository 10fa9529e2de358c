#pragma once

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "record/evaluation_record.h"
#include "support/temporary_folder.h"

namespace schemamem::test {

/// A run folder with numbers of a test's choice: 100 queries a cell, so that percentages are whole.
struct MadeUpRun {
  std::string model = "schemamem", setting = "A3V3", recipe = "fast";
  std::uint64_t seed = 42;
  bool passed = true;
  std::int64_t steps = 1000;
  std::string note{};
  /// % right, of a named column and delay; negative leaves the cell out.
  std::function<int(const std::string& column, std::int64_t delay)> right = [](const auto&, auto) { return 50; };
  /// The same with S = 0.
  std::function<int(const std::string& column, std::int64_t delay)> ablated = [](const auto&, auto) { return -1; };
};

/// Without the syncs of real records: tests write many.
inline void put_text(const std::filesystem::path& path, const std::string& text) { std::ofstream(path) << text; }

inline void put_evaluation(const std::filesystem::path& folder, const MadeUpRun& run, const std::string& mode,
                           std::uint64_t eval_seed, const std::function<int(const std::string&, std::int64_t)>& right) {
  EvaluationRecord record{
      .checkpoint = {.sha256 = std::string(64, 'a'),
                     .model = run.model,
                     .setting = run.setting,
                     .seed = run.seed,
                     .recipe = run.recipe,
                     .hash = "12345678"},
      .protocol = {.kind = "table", .mode = mode, .eval_seed = eval_seed, .episodes = 1, .isa = "avx2"}};
  for (const NamedColumn& column : named_columns()) {
    for (const std::int64_t delay : {384, 1536}) {
      const int percent = right(std::string(column.name), delay);
      if (percent < 0) continue;
      record.put({.scenario = std::string(column.scenario),
                  .delay = delay,
                  .group = std::string(column.group),
                  .asked = 100,
                  .right = percent,
                  .bits = 300,
                  .bits_right = 3 * percent,
                  .cross_entropy = 0.5,
                  .right_by_episode = {percent}});
    }
  }
  if (record.cells.empty()) return;
  put_text(folder / "evaluations" / evaluation_file_name(record.protocol), encode_evaluation(record));
}

/// Writes `run` below `root`, evaluated on the episodes of `eval_seeds`.
inline std::filesystem::path put_run(const std::filesystem::path& root, const MadeUpRun& run,
                                     const std::vector<std::uint64_t>& eval_seeds = {20261001}) {
  const std::string name = run.model + "-" + run.setting + "-" + run.recipe + "-s" + std::to_string(run.seed);
  const std::filesystem::path folder = root / name;
  std::filesystem::create_directories(folder / "evaluations");
  const nlohmann::json manifest{{"model", run.model},
                                {"setting", run.setting},
                                {"seed", run.seed},
                                {"recipe", run.recipe},
                                {"hash", "12345678"},
                                {"note", run.note},
                                {"parameters", 54336},
                                {"persistent_elements", 16896},
                                {"environment", {{"command", "schemamem train " + name}}},
                                {"config", nlohmann::json::object()}};
  const nlohmann::json result{{"status", run.passed ? "passed" : "step-limit"},
                              {"steps", run.steps},
                              {"seconds", 2.5},
                              {"target", 95},
                              {"passed", nlohmann::json::array()}};
  put_text(folder / "run.json", manifest.dump());
  put_text(folder / "result.json", result.dump());
  for (const std::uint64_t eval_seed : eval_seeds) {
    put_evaluation(folder, run, "recurrent", eval_seed, run.right);
    put_evaluation(folder, run, "ablated", eval_seed, run.ablated);
  }
  return folder;
}

}  // namespace schemamem::test
