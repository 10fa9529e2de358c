#include "train/run_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "models/registry.h"
#include "record/json_file.h"
#include "record/run_folders.h"
#include "system/file_lock.h"
#include "system/files.h"

namespace schemamem {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

/// Enough for the last check and some steps; a run's whole history would be read again at every look.
constexpr std::streamoff kTail = 1 << 18;

constexpr const char* kFailedMark = "failed.json";

/// The whole lines at the end of a file that are JSON objects. The last line may be half-written, the first is cut.
std::vector<Json> last_lines(const fs::path& path) {
  std::vector<Json> lines;
  std::ifstream file(path, std::ios::binary);
  if (!file.seekg(0, std::ios::end)) return lines;
  const std::streamoff size = file.tellg();
  file.seekg(std::max<std::streamoff>(0, size - kTail));
  for (std::string line; std::getline(file, line);) {
    Json json = Json::parse(line, nullptr, false);
    if (json.is_object()) lines.push_back(std::move(json));
  }
  return lines;
}

/// A field of a file that anybody may have changed.
template <class T>
T field(const Json& object, const char* name, T fallback) {
  const auto found = object.find(name);
  if (found == object.end()) return fallback;
  try {
    return found->template get<T>();
  } catch (const nlohmann::json::exception&) {
    return fallback;
  }
}

ShownCheck shown_check(const Json& line) {
  ShownCheck check{.step = field(line, "step", std::int64_t{0}),
                   .stage = field(line, "check", std::string()),
                   .lowest = field(line, "lowest", 0.0),
                   .threshold = field(line, "threshold", 0.0),
                   .whole = field(line, "whole", true),
                   .slots_used = field(line, "slots_used", std::vector<double>())};
  for (const Json& group : field(line, "groups", Json::array())) {
    if (!group.is_object()) continue;
    const double asked = field(group, "asked", 0.0), right = field(group, "right", 0.0);
    check.scores.push_back({field(group, "scenario", std::string()) + " " + field(group, "group", std::string()),
                            asked > 0 ? 100 * right / asked : 0});
  }
  return check;
}

}  // namespace

std::string_view state_name(RunState state) {
  switch (state) {
    case RunState::kWaiting:
      return "waiting";
    case RunState::kRunning:
      return "running";
    case RunState::kStopped:
      return "stopped";
    case RunState::kFailed:
      return "failed";
    case RunState::kStepLimit:
      return "step-limit";
    case RunState::kPassed:
      break;
  }
  return "passed";
}

ShownCheck shown_check(const Task& task, const Check& check, const Stage& stage, std::int64_t step) {
  ShownCheck shown{.step = step,
                   .stage = stage.name,
                   .lowest = check.lowest(),
                   .threshold = stage.threshold,
                   .whole = check.whole,
                   .slots_used = check.slots_used};
  for (const GroupScore& score : check.groups) {
    shown.scores.push_back({fmt::format("{} {}", task.scenarios()[score.asked_in.scenario],
                                        task.groups()[static_cast<std::size_t>(score.group)]),
                            score.percent()});
  }
  return shown;
}

std::size_t slots_of(const RunRequest& request) {
  const auto spec = model_spec(request);
  if (!spec) return 0;
  const auto slots = spec->sizes.find("slots");
  return slots == spec->sizes.end() ? 0 : slots->second;
}

void RunFollower::read_manifest() {
  if (request_) return;
  const auto stored = read_run(folder_);
  if (!stored) return;
  request_ = stored->request;
  const Recipe& recipe = request_->recipe.recipe;
  stages_ = make_curriculum(*request_);
  status_.progress.stages = stages_.size();
  status_.progress.passes_needed = recipe.validation.passes;
  status_.progress.slots = slots_of(*request_);
}

void RunFollower::read_metrics() {
  RunProgress& progress = status_.progress;
  progress.step = 0;
  progress.check.reset();
  progress.stage_number = 1;
  std::int64_t stage_began = 0;
  for (const Json& line : last_lines(folder_ / "metrics.jsonl")) {
    progress.step = field(line, "step", progress.step);
    if (line.contains("check")) {
      progress.check = shown_check(line);
      progress.passes = field(line, "passes", std::int64_t{0});
      progress.stage_number = field(line, "stages", std::size_t{0}) + 1;
      stage_began = progress.step;
      continue;
    }
    progress.loss = field(line, "loss", 0.0);
    progress.gradient_norm = field(line, "gradient_norm", 0.0);
    progress.rate = field(line, "rate", 0.0);
  }
  if (stages_.empty()) return;
  const bool done = progress.stage_number > stages_.size();
  progress.stage_number = std::clamp<std::size_t>(progress.stage_number, 1, stages_.size());
  const Stage& stage = stages_[progress.stage_number - 1];
  progress.stage = done ? "done" : stage.name;
  // A check starts the count to the next one, whether or not it passed its stage.
  const std::int64_t distance =
      stage.phase == Phase::kCooldown ? stage.limit : request_->recipe.recipe.validation.every;
  progress.steps_to_check = std::max<std::int64_t>(0, stage_began + distance - progress.step);
}

void RunFollower::read_events() {
  std::int64_t step = 0;
  status_.seconds = 0;
  status_.progress.checkpoint = 0;
  status_.progress.steps_per_second = 0;
  for (const Json& line : last_lines(folder_ / "events.jsonl")) {
    const std::int64_t next = field(line, "step", std::int64_t{0});
    const double seconds = field(line, "seconds", 0.0);
    if (next > step && seconds > status_.seconds && step > 0)
      status_.progress.steps_per_second = static_cast<double>(next - step) / (seconds - status_.seconds);
    step = next;
    status_.seconds = seconds;
    status_.progress.checkpoint = field(line, "checkpoint", status_.progress.checkpoint);
  }
}

const RunStatus& RunFollower::look() {
  if (has_ended(status_.state)) return status_;
  // The result is written before the lock is given back: asked in this order, an ended run is never called stopped.
  const auto holder = FileLock::holder_of(folder_ / "lock");
  read_manifest();
  status_.message.clear();
  const bool begun = is_run(folder_);
  if (begun) {
    read_metrics();
    read_events();
    const auto result = read_json_object(folder_ / "result.json");
    if (result && request_ && field(*result, "hash", std::string()) == run_hash(*request_)) {
      status_.state = field(*result, "status", std::string()) == "passed" ? RunState::kPassed : RunState::kStepLimit;
      status_.progress.step = field(*result, "steps", status_.progress.step);
      status_.seconds = field(*result, "seconds", status_.seconds);
      return status_;
    }
  }
  if (holder) {
    status_.state = RunState::kRunning;
    status_.message = *holder;
  } else if (const auto mark = read_json_object(folder_ / kFailedMark)) {
    status_.state = RunState::kFailed;
    status_.message = field(*mark, "message", std::string("failed.json gives no reason"));
  } else {
    status_.state = begun ? RunState::kStopped : RunState::kWaiting;
  }
  return status_;
}

Status mark_failed(const fs::path& folder, int exit_code, const std::string& message) {
  const nlohmann::ordered_json mark{{"format", 1}, {"exit", exit_code}, {"message", message}};
  return write_file_atomically(folder / kFailedMark,
                               mark.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

bool unmark_failed(const fs::path& folder) {
  std::error_code ignored;
  return fs::remove(folder / kFailedMark, ignored);
}

}  // namespace schemamem
