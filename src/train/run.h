#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.h"
#include "models/model.h"
#include "system/files.h"
#include "system/ranks.h"
#include "train/run_record.h"
#include "train/trainer.h"

namespace schemamem {

/// What a run tells while it goes on. Called from the training thread.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void started(const Trainer&, bool /*resumed*/) {}
  /// The system gives fewer threads than were asked for; the result is the same, later.
  virtual void short_of_threads(int /*wanted*/, int /*found*/) {}
  /// Something was wrong and the run goes on all the same: a sentence for the user.
  virtual void warned(const std::string& /*what*/) {}
  virtual void stepped(const Trainer&, const StepReport&) {}
  virtual void checked(const Trainer&, const Stage&, const Check&) {}
  /// The checkpoint of this step is on the disk, `seconds` after it was begun.
  virtual void saved(std::int64_t /*step*/, double /*seconds*/) {}
};

/// Trains in options.folder until the curriculum ends, continuing from its newest whole checkpoint if there is one. A
/// finished run is left alone. Errors: kInterrupted (saved, can be continued), kNonFinite (saved before the step),
/// kStepLimit (kept and marked), kCannotCreate (another process is at work, or another run lies there).
/// Of several ranks it is called by the first, which alone touches files, while the others are in follow_run().
Result<RunResult> train_run(const SequenceModel<float>& model, const RunRequest& request, const RunOptions& options,
                            const StopFlag& stop, RunObserver& observer, FileSystem& files = posix_files(),
                            Ranks& ranks = alone());

/// Makes the folder of a run whose curriculum begins at a stage, with initial weights: `train_run` goes on from there.
/// For benchmarks and trials, which would otherwise have to train their way through every stage before.
Status begin_run_at(std::size_t stage, const SequenceModel<float>& model, const RunRequest& request,
                    const std::filesystem::path& folder);

}  // namespace schemamem
