#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "kernels/isa.h"
#include "models/model.h"
#include "models/registry.h"
#include "system/files.h"
#include "task/task.h"
#include "train/recipe_file.h"
#include "train/trainer.h"

// What a run's folder says about the whole of it: run.json, the manifest, and result.json (docs/formats.md, "Runs").

namespace schemamem {

/// What is to be trained.
struct RunRequest {
  ModelChoice model;
  std::shared_ptr<const Task> task;
  std::uint64_t seed = 42;
  ResolvedRecipe recipe;
};

/// The model of a request, with every size; a usage error if it is none, or none for this task.
Result<ModelSpec> model_spec(const RunRequest& request);
Result<std::unique_ptr<SequenceModel<float>>> make_model(const RunRequest& request, EngineChoice choice = {});
/// The stages of a request whose model is known.
std::vector<Stage> make_curriculum(const RunRequest& request);

/// Digits that change with anything that changes the result: model, sizes and options that are not the published ones,
/// task, setting, seed and every value of the recipe.
std::string run_hash(const RunRequest& request);
/// "schemamem-A3V3-fast-s42-1a2b3c4d"
std::string run_name(const RunRequest& request);

/// How it is trained; changes nothing about the result.
struct RunOptions {
  std::filesystem::path folder;
  int threads = 1;
  Isa isa = best_isa();
  std::map<std::string, std::string> environment{};  // for the manifest: command, cpu, host
};

struct RunResult {
  std::string status;  // "passed" or "step-limit"
  std::string hash{};  // of the run, as the file says
  std::int64_t steps = 0;
  double seconds = 0;
  std::vector<PassedStage> passed{};
  bool fell_back = false;  // the cool-down ended below the target: the weights from before it, which passed, are kept
  bool was_done = false;   // found finished, nothing was run
};

/// The text of a manifest, from which parse_run() makes the request again.
std::string manifest_text(const RunRequest& request, const RunOptions& options, const SequenceModel<float>& model);
/// Writes the manifest, or checks that the one there asks for the same: a run is never overwritten.
Status settle_manifest(const SequenceModel<float>& model, const RunRequest& request, const RunOptions& options,
                       FileSystem& files);
/// What the manifest of an existing run asks for.
struct StoredRun {
  RunRequest request;
  std::string isa;
};
Result<StoredRun> read_run(const std::filesystem::path& folder);
/// The same from the text of a manifest that messages call `what`.
Result<StoredRun> parse_run(std::string_view text, const std::string& what);

/// result.json, written when a run has ended. `last_check` is JSON, or empty.
Status write_result(const RunRequest& request, const RunResult& result, const std::string& last_check,
                    const std::filesystem::path& folder, FileSystem& files);
/// What it says; nothing if the run has not ended.
Result<std::optional<RunResult>> read_result(const std::filesystem::path& folder);
/// The same from the text of the file.
Result<RunResult> parse_result(std::string_view text, const std::string& what);

/// The passed stages that `result.json` and checkpoints list, under `passed`.
std::vector<PassedStage> read_passed(const JsonField& json);

/// This moment, as the files of a run write it: "2026-01-31T12:00:00Z".
std::string utc_now();

}  // namespace schemamem
