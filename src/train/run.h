#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "models/model.h"
#include "train/recipe_file.h"
#include "train/trainer.h"

namespace schemamem {

/// What is to be trained.
struct RunRequest {
  std::string model;
  Setting setting;
  std::uint64_t seed = 42;
  ResolvedRecipe recipe;
};

/// Digits that change with anything that changes the result: model, setting, seed and every value of the recipe.
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

/// What a run tells while it goes on. Called from the training thread.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void started(const Trainer&, bool /*resumed*/) {}
  virtual void stepped(const Trainer&, const StepReport&) {}
  virtual void checked(const Trainer&, const Stage&, const Check&) {}
  /// The checkpoint of this step is on the disk, `seconds` after it was begun.
  virtual void saved(std::int64_t /*step*/, double /*seconds*/) {}
};

struct RunResult {
  std::string status;  // "passed" or "step-limit"
  std::int64_t steps = 0;
  double seconds = 0;
  std::vector<PassedStage> passed{};
  bool fell_back = false;  // the cool-down ended below the target: the weights from before it, which passed, are kept
  bool was_done = false;   // found finished, nothing was run
};

/// Trains in options.folder until the curriculum ends, continuing from its newest whole checkpoint if there is one. A
/// finished run is left alone. Errors: kInterrupted (saved, can be continued), kNonFinite (saved before the step),
/// kStepLimit (kept and marked), kCannotCreate (another process is at work, or another run lies there).
Result<RunResult> train_run(const SequenceModel<float>& model, const RunRequest& request, const RunOptions& options,
                            const StopFlag& stop, RunObserver& observer, FileSystem& files = posix_files());

/// Makes the folder of a run whose curriculum begins at a stage, with initial weights: `train_run` goes on from there.
/// For benchmarks and trials, which would otherwise have to train their way through every stage before.
Status begin_run_at(std::size_t stage, const SequenceModel<float>& model, const RunRequest& request,
                    const std::filesystem::path& folder);

/// What the manifest of an existing run asks for.
struct StoredRun {
  RunRequest request;
  std::string isa;
};
Result<StoredRun> read_run(const std::filesystem::path& folder);

}  // namespace schemamem
