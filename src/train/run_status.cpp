#include "train/run_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json.h"
#include "models/registry.h"
#include "record/json_file.h"
#include "record/run_folders.h"
#include "system/file_lock.h"
#include "system/files.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;

/// Enough for the last check and some steps; a run's whole history would be read again at every look.
constexpr std::uint64_t kTail = 1 << 18;

constexpr const char* kFailedMark = "failed.json";

/// The whole lines at the end of a file, each with its name in messages. The last may be half-written, the first cut.
Result<std::vector<std::pair<std::string, std::string>>> last_lines(const fs::path& path) {
  std::vector<std::pair<std::string, std::string>> lines;
  const auto tail = read_tail(path, kTail);
  if (!tail) return tail.error();
  const std::string text = tail->value_or("");
  bool cut = text.size() == kTail;
  for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos;
       begin = end + 1, cut = false) {
    if (!cut)
      lines.emplace_back(fmt::format("{}: the line {} bytes before its end", path.string(), text.size() - begin),
                         text.substr(begin, end - begin));
  }
  return lines;
}

/// A field that a line need not have.
double number_or(const JsonField& line, const char* name, double fallback) {
  const auto found = line.find(name);
  return found && !found->is_null() ? found->number() : fallback;
}
std::int64_t count_or(const JsonField& line, const char* name, std::int64_t fallback) {
  const auto found = line.find(name);
  return found ? found->count() : fallback;
}

ShownCheck shown_check(const JsonField& line) {
  ShownCheck check{.step = count_or(line, "step", 0),
                   .stage = line.text("check"),
                   .lowest = number_or(line, "lowest", 0),
                   .threshold = number_or(line, "threshold", 0)};
  if (const auto whole = line.find("whole")) check.whole = whole->flag();
  if (const auto slots = line.find("slots_used")) {
    for (const JsonField& used : slots->items()) check.slots_used.push_back(used.number());
  }
  if (const auto groups = line.find("groups")) {
    for (const JsonField& group : groups->items()) {
      const double asked = group.number("asked"), right = group.number("right");
      check.scores.push_back({group.text("scenario") + " " + group.text("group"), asked > 0 ? 100 * right / asked : 0});
    }
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

void RunFollower::note(const Error& error) {
  if (!status_.trouble) status_.trouble = error;
}

/// Hands each whole line at the end of a file to `take`; one that is not what it should be is noted and left out.
template <class Take>
void RunFollower::each_line(const char* name, Take take) {
  const auto lines = last_lines(folder_ / name);
  if (!lines) return note(lines.error());
  for (const auto& [what, text] : *lines) {
    const Result<JsonField> line = parse_json_object(text, what);
    if (!line) {
      note(line.error());
      continue;
    }
    const RunStatus before = status_;
    take(*line);
    if (const Status read = line->status(); !read) {
      status_ = before;
      note(read.error());
    }
  }
}

void RunFollower::read_manifest() {
  if (request_) return;
  const auto stored = read_run(folder_);
  if (!stored) return note(stored.error());
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
  each_line("metrics.jsonl", [&](const JsonField& line) {
    progress.step = count_or(line, "step", progress.step);
    if (line.has("check")) {
      const std::size_t stage_before = progress.stage_number;
      progress.check = shown_check(line);
      progress.passes = count_or(line, "passes", 0);
      progress.stage_number = static_cast<std::size_t>(count_or(line, "stages", 0)) + 1;
      if (progress.stage_number != stage_before) stage_began = progress.step;
      return;
    }
    progress.loss = number_or(line, "loss", 0);
    progress.gradient_norm = number_or(line, "gradient_norm", 0);
    progress.right = line.has("right") ? std::optional(number_or(line, "right", 0)) : std::nullopt;
    progress.rate = number_or(line, "rate", 0);
  });
  if (stages_.empty()) return;
  progress.stage_step = progress.step - stage_began;
  const bool done = progress.stage_number > stages_.size();
  progress.stage_number = std::clamp<std::size_t>(progress.stage_number, 1, stages_.size());
  const Stage& stage = stages_[progress.stage_number - 1];
  progress.stage = done ? kDoneStage : stage.name;
  // A check starts the count to the next one, whether or not it passed its stage.
  const std::int64_t distance =
      stage.phase == Phase::kCooldown ? stage.limit : request_->recipe.recipe.validation.every;
  const std::int64_t last_check = progress.check ? progress.check->step : 0;
  progress.steps_to_check = std::max<std::int64_t>(0, last_check + distance - progress.step);
}

void RunFollower::read_events() {
  std::int64_t step = 0;
  status_.seconds = 0;
  status_.progress.checkpoint = 0;
  status_.progress.steps_per_second = 0;
  each_line("events.jsonl", [&](const JsonField& line) {
    const std::int64_t next = count_or(line, "step", 0);
    const double seconds = number_or(line, "seconds", 0);
    if (next > step && seconds > status_.seconds && step > 0)
      status_.progress.steps_per_second = static_cast<double>(next - step) / (seconds - status_.seconds);
    step = next;
    status_.seconds = seconds;
    status_.progress.checkpoint = count_or(line, "checkpoint", status_.progress.checkpoint);
  });
}

/// True if there is a result of this run.
bool RunFollower::read_end() {
  const auto result = read_result(folder_);
  if (!result) note(result.error());
  if (!result || !result->has_value() || !request_ || (*result)->hash != run_hash(*request_)) return false;
  status_.state = (*result)->status == "passed" ? RunState::kPassed : RunState::kStepLimit;
  status_.progress.step = (*result)->steps;
  status_.seconds = (*result)->seconds;
  return true;
}

/// Why the run is marked as failed; nothing if it is not.
std::optional<std::string> RunFollower::read_mark() {
  const fs::path path = folder_ / kFailedMark;
  if (is_absent(path)) return std::nullopt;
  const auto mark = read_json_object(path);
  if (!mark) {
    note(mark.error());
    return "failed.json gives no reason";
  }
  std::string message = mark->has("message") ? mark->text("message") : "failed.json gives no reason";
  if (const Status read = mark->status(); !read) note(read.error());
  return message;
}

/// The holder of the lock, or, where locks do not reach, the owner of a claim that is not known to be dead.
std::optional<std::string> RunFollower::who_is_at_work() {
  if (auto holder = FileLock::holder_of(folder_ / "lock")) return holder;
  if (is_absent(folder_)) return std::nullopt;
  const auto claims = claims_.look();
  if (!claims) {
    note(claims.error());
    return std::nullopt;
  }
  for (const SeenClaim& claim : *claims) {
    if (claim.pulse == SeenClaim::Pulse::kAlive) return claim.text.who();
    if (claim.pulse == SeenClaim::Pulse::kUnknown) return claim.text.who() + ", as it says";
  }
  return std::nullopt;
}

const RunStatus& RunFollower::look() {
  if (has_ended(status_.state)) return status_;
  status_.message.clear();
  status_.trouble.reset();
  // The result is written before the lock is given back: asked in this order, an ended run is never called stopped.
  const auto holder = who_is_at_work();
  const bool begun = is_run(folder_);
  if (begun) {
    read_manifest();
    read_metrics();
    read_events();
    if (read_end()) return status_;
  }
  if (holder) {
    status_.state = RunState::kRunning;
    status_.message = *holder;
  } else if (auto mark = read_mark()) {
    status_.state = RunState::kFailed;
    status_.message = *std::move(mark);
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
