#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "system/claim_watch.h"
#include "train/run.h"

namespace schemamem {

/// What a run's folder says about it.
enum class RunState {
  kWaiting,    // there is none yet
  kRunning,    // a process holds its lock, or a claim that is not known to be dead
  kStopped,    // begun, nobody is at work; can be resumed
  kFailed,     // marked by failed.json (docs/formats.md, "Sweeps")
  kStepLimit,  // ended short of its target
  kPassed,
};
/// "waiting", "running", "stopped", "failed", "step-limit", "passed"
std::string_view state_name(RunState state);
inline bool has_ended(RunState state) { return state == RunState::kPassed || state == RunState::kStepLimit; }

/// How many runs are in each state.
using StateCounts = std::map<RunState, std::size_t>;

/// The accuracy of one group in a check.
struct ShownScore {
  std::string name;  // "retention retained"
  double percent = 0;
};
struct ShownCheck {
  std::int64_t step = 0;
  std::string stage;
  double lowest = 0, threshold = 0;
  bool whole = true;
  std::vector<ShownScore> scores{};
  std::vector<double> slots_used{};  // of each layer
};

/// In the place of a stage's name, behind the last one.
inline const std::string kDoneStage = "done";

/// Where a run stands: what a live view shows.
struct RunProgress {
  std::int64_t step = 0;
  std::string stage;
  std::size_t stage_number = 0, stages = 0;  // from 1
  std::int64_t stage_step = 0;               // steps done in this stage
  double steps_per_second = 0;               // 0: not known
  std::int64_t steps_to_check = 0;
  std::int64_t passes = 0, passes_needed = 0;
  double loss = 0, gradient_norm = 0, rate = 0;
  std::optional<double> right{};  // share of the questions on carried states that the last step told of
  std::optional<ShownCheck> check{};
  std::size_t slots = 0;  // of a layer; 0: the model has none
  std::int64_t checkpoint = 0;
  std::optional<double> checkpoint_seconds{};
};

/// What a check shows.
ShownCheck shown_check(const Task& task, const Check& check, const Stage& stage, std::int64_t step);
/// Memory slots of a layer of the model, 0 if it has none.
std::size_t slots_of(const RunRequest& request);

struct RunStatus {
  RunState state = RunState::kWaiting;
  RunProgress progress{};
  double seconds = 0;   // of training, as far as the files tell
  std::string message;  // who is at work, or why it failed
  /// The first file that cannot be read or does not say what it should; the rest tells what the others say.
  std::optional<Error> trouble{};
};

/// Follows one run through its files, from any process. Whatever is missing, half-written or cut by a resume leaves
/// things unknown; what is damaged is passed over and told (`RunStatus::trouble`).
class RunFollower {
 public:
  explicit RunFollower(std::filesystem::path folder) : folder_(std::move(folder)), claims_(folder_) {}

  const std::filesystem::path& folder() const { return folder_; }
  /// What the manifest asks for; nothing before there is one, or when it cannot be read.
  const std::optional<RunRequest>& request() const { return request_; }

  /// Looks at the files. An ended run is not read again.
  const RunStatus& look();

 private:
  void note(const Error& error);
  std::optional<std::string> who_is_at_work();
  template <class Take>
  void each_line(const char* name, Take take);
  void read_manifest();
  void read_metrics();
  void read_events();
  bool read_end();
  std::optional<std::string> read_mark();

  std::filesystem::path folder_;
  ClaimWatch claims_;
  std::optional<RunRequest> request_;
  std::vector<Stage> stages_;
  RunStatus status_;
};

/// The mark of a run that failed: why, until somebody retries it.
Status mark_failed(const std::filesystem::path& folder, int exit_code, const std::string& message);
/// Removes the mark; true if there was one.
bool unmark_failed(const std::filesystem::path& folder);

}  // namespace schemamem
