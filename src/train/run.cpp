#include "train/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "models/model_file.h"
#include "record/tensor_files.h"
#include "system/locked_files.h"
#include "train/checkpoint.h"
#include "train/event_log.h"
#include "train/follow.h"

namespace schemamem {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr std::int64_t kLogEvery = 25;
constexpr std::uint64_t kLargestLog = std::uint64_t{1} << 28;
/// Between two checks, so that a power cut costs little when steps are slow.
constexpr double kLongestUnsaved = 60;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

Json groups_json(const Task& task, const Check& check) {
  Json groups = Json::array();
  for (const GroupScore& score : check.groups) {
    groups.push_back({{"scenario", task.scenarios()[score.asked_in.scenario]},
                      {"delay", score.asked_in.delay},
                      {"group", task.groups()[static_cast<std::size_t>(score.group)]},
                      {"asked", score.asked},
                      {"right", score.right}});
  }
  return groups;
}

std::vector<std::string> stage_names(const std::vector<Stage>& stages) {
  std::vector<std::string> names;
  for (const Stage& stage : stages) names.push_back(stage.name);
  return names;
}

/// Waits, however its scope is left, for a thread that writes to the files of that scope.
struct WaitForSave {
  ~WaitForSave() {
    if (saving.valid()) saving.wait();
  }
  const std::future<Status>& saving;
};

/// A run that is locked and whose manifest fits.
class Run {
 public:
  Run(const SequenceModel<float>& model, const RunRequest& request, const RunOptions& options, const StopFlag& stop,
      RunObserver& observer, FileSystem& files, Ranks& ranks)
      : request_(request),
        options_(options),
        stop_(stop),
        observer_(observer),
        files_(files),
        ranks_(ranks),
        checkpoints_(options.folder, files),
        trainer_(model, {.recipe = request.recipe.recipe, .task = request.task, .seed = request.seed}, options.threads,
                 options.isa, ranks) {}

  Result<RunResult> go() {
    const auto loaded = checkpoints_.load(trainer_, run_hash(request_));
    if (!loaded) return loaded.error();
    const std::optional<RunMemory>& memory = loaded->memory;
    if (memory) {
      seconds_before_ = memory->seconds;
      last_check_ = memory->last_check;
    }
    auto metrics = AppendFile::open(path("metrics.jsonl"), memory ? memory->metrics_bytes : 0, files_);
    if (!metrics) return metrics.error();
    metrics_ = &metrics.value();
    auto board = EventLog::open(options_.folder, stage_names(trainer_.curriculum().stages()), files_);
    if (!board) return board.error();
    board_ = &board.value();
    const auto whole = whole_lines(path("events.jsonl"));
    if (!whole) return whole.error();
    auto events = AppendFile::open(path("events.jsonl"), *whole, files_);
    if (!events) return events.error();
    events_ = &events.value();
    const WaitForSave wait{saving_};
    started_ = last_save_ = Clock::now();
    for (const std::string& damage : loaded->set_aside) {
      if (const Status told = event("damaged", {{"what", damage}}); !told) return told.error();
      observer_.warned(damage);
    }
    const Json together = ranks_.is_alone() ? Json::object() : Json{{"ranks", ranks_.count()}};
    if (const Status told = event(memory ? "resumed" : "started", together); !told) return told.error();
    if (trainer_.threads() < options_.threads) observer_.short_of_threads(options_.threads, trainer_.threads());
    if (const std::int64_t idle = ranks_.count() - request_.recipe.recipe.batch.shards; idle > 0) {
      observer_.warned(
          fmt::format("{} of {} ranks have no part in the gradient: the batch is cut into {} shards "
                      "(batch.shards).",
                      idle, ranks_.count(), request_.recipe.recipe.batch.shards));
    }
    observer_.started(trainer_, memory.has_value());
    goes_on(ranks_, true);
    if (const Status shared = share_state(trainer_, ranks_); !shared) return shared.error();
    const Result<RunResult> result = loop();
    const Status written = finish_save();  // the files outlive what is still being written to them
    if (result && !written) return written.error();
    return result;
  }

 private:
  Result<RunResult> loop() {
    while (!trainer_.ended()) {
      if (stop_.load(std::memory_order_relaxed)) return stopped();
      goes_on(ranks_, true);
      const Status status = trainer_.check_due() ? check() : step();
      if (status) continue;
      if (status.error().kind() == ErrorKind::kInterrupted) return stopped();
      if (status.error().kind() == ErrorKind::kNonFinite) return not_finite(status.error());
      return status.error();
    }
    return finish();
  }

  fs::path path(const char* name) const { return options_.folder / name; }
  /// The length of a log without the line that a killed process may have left half-written.
  Result<std::uint64_t> whole_lines(const fs::path& log) const {
    if (is_absent(log)) return 0;
    const Result<std::string> text = read_text_file(log, kLargestLog, files_);
    if (!text) return text.error();
    const std::size_t end = text->rfind('\n');
    return end == std::string::npos ? 0 : end + 1;
  }
  /// What model files say about this run, besides what the trainer knows.
  std::map<std::string, std::string> run_notes() const {
    return {{"recipe", request_.recipe.name}, {"hash", run_hash(request_)}};
  }
  double seconds() const { return seconds_before_ + seconds_since(started_); }

  Status step() {
    const Stage& stage = trainer_.curriculum().stage(trainer_.position());
    const Result<StepReport> report = trainer_.step(stop_);
    if (!report) return report.error();
    spent_ += report->seconds;
    observer_.stepped(trainer_, *report);
    if (report->step % kLogEvery == 0) {
      Json line{{"step", report->step},
                {"stage", stage.name},
                {"loss", report->loss},
                {"gradient_norm", report->gradient_norm},
                {"rate", report->rate},
                {"stillness", report->stillness},
                {"mode", mode_name(report->mode)},
                {"tokens", report->tokens}};
      if (report->right) line["right"] = *report->right;
      if (const Status written = note(line); !written) return written;
    }
    if (!trainer_.check_due() && seconds_since(last_save_) > kLongestUnsaved) return begin_save();
    return Done{};
  }

  Status check() {
    const Stage& stage = trainer_.curriculum().stage(trainer_.position());
    const Clock::time_point start = Clock::now();
    const Result<Check> check = trainer_.check(stop_);
    spent_checking_ += seconds_since(start);
    if (!check) return check.error();
    last_check_ = Json{{"stage", stage.name},
                       {"step", trainer_.position().step},
                       {"lowest", check->lowest()},
                       {"groups", groups_json(*request_.task, *check)}}
                      .dump();
    const Json line{{"step", trainer_.position().step},
                    {"check", stage.name},
                    {"lowest", check->lowest()},
                    {"threshold", stage.threshold},
                    {"whole", check->whole},
                    {"passes", trainer_.position().passes},
                    {"stages", trainer_.passed().size()},
                    {"groups", groups_json(*request_.task, *check)},
                    {"slots_used", check->slots_used}};
    if (const Status written = note(line); !written) return written;
    observer_.checked(trainer_, stage, *check);
    return begin_save();
  }

  /// A line of the metrics, and what TensorBoard shows of it.
  Status note(const Json& line) {
    const std::string text = line.dump() + "\n";
    if (const Status written = metrics_->write(text); !written) return written;
    return board_->write(text);
  }

  /// Begins to write a checkpoint; training goes on meanwhile. A failure is told by the next call.
  Status begin_save() {
    if (const Status earlier = finish_save(); !earlier) return earlier;
    last_save_ = Clock::now();
    auto snapshot = std::make_shared<const Snapshot>(take_snapshot(trainer_,
                                                                   {.metrics_bytes = metrics_->size(),
                                                                    .seconds = seconds(),
                                                                    .last_check = last_check_,
                                                                    .hash = run_hash(request_)},
                                                                   run_notes()));
    saving_step_ = snapshot->step;
    const auto write = [this, snapshot]() -> Status {
      const Status synced = metrics_->sync();
      const Status saved = synced ? checkpoints_.save(*snapshot) : synced;
      save_seconds_ = seconds_since(last_save_);  // nobody reads it, nor sets `last_save_`, before this has ended
      return saved;
    };
    try {
      saving_ = std::async(std::launch::async, write);
    } catch (const std::system_error&) {  // no thread is to be had: training waits
      saving_ = std::async(std::launch::deferred, write);
      saving_.wait();
    }
    blocked_ = seconds_since(last_save_);
    return Done{};
  }

  /// Waits for the checkpoint that is being written.
  Status finish_save() {
    if (!saving_.valid()) return Done{};
    const Clock::time_point start = Clock::now();
    const Status saved = saving_.get();
    if (!saved) return saved;
    const auto milliseconds = [](double seconds) { return std::round(1e4 * seconds) / 10; };
    observer_.saved(saving_step_, save_seconds_);
    return event("saved",
                 {{"checkpoint", saving_step_}, {"blocked_ms", milliseconds(blocked_ + seconds_since(start))}});
  }

  Status save() {
    if (const Status begun = begin_save(); !begun) return begun;
    return finish_save();
  }

  /// Where this process has spent its seconds; the rest is the run's own.
  Json spent_json() const {
    return {{"seconds", seconds_since(started_)}, {"kernels", spent_.kernels},
            {"folding", spent_.folding},          {"data", spent_.data},
            {"optimizer", spent_.optimizer},      {"ranks", spent_.ranks},
            {"checks", spent_checking_}};
  }

  /// Times are told here and not in the metrics, which are the same in every repetition.
  Status event(const char* what, const Json& more = Json::object()) {
    Json line{{"event", what}, {"time", utc_now()}, {"step", trainer_.position().step}, {"seconds", seconds()}};
    line.update(more);
    return events_->write(line.dump() + "\n");
  }

  Result<RunResult> stopped() {
    if (const Status saved = save(); !saved) return saved.error();
    if (const Status told = event("stopped"); !told) return told.error();
    return Error(ErrorKind::kInterrupted,
                 fmt::format("stopped on request after step {}; the run is saved. `schemamem resume {}` continues it.",
                             trainer_.position().step, options_.folder.string()));
  }

  Result<RunResult> not_finite(const Error& error) {
    if (const Status saved = save(); !saved) return saved.error();
    if (const Status told = event("non-finite", {{"what", error.message()}}); !told) return told.error();
    return Error(
        ErrorKind::kNonFinite,
        fmt::format("NaN or infinity: {}. The state before this step is saved; `schemamem resume {}` repeats it.",
                    error.message(), options_.folder.string()));
  }

  Result<RunResult> finish() {
    if (const Status saved = save(); !saved) return saved.error();
    const Position& at = trainer_.position();
    RunResult result{.status = at.gave_up ? "step-limit" : "passed",
                     .steps = at.step,
                     .seconds = seconds(),
                     .passed = trainer_.passed(),
                     .fell_back = at.fell_back};
    std::map<std::string, std::string> about = checkpoint_notes(trainer_);
    about.merge(run_notes());
    const Status kept = save_tensors(path("model.safetensors"), trainer_.result_tensors(),
                                     model_file_metadata(trainer_.model().spec(), about), files_);
    if (!kept) return kept.error();
    if (const Status told = event("finished", {{"status", result.status}, {"spent", spent_json()}}); !told)
      return told.error();
    if (const Status written = write_result(request_, result, last_check_, options_.folder, files_); !written)
      return written.error();
    return result;
  }

  const RunRequest& request_;
  const RunOptions& options_;
  const StopFlag& stop_;
  RunObserver& observer_;
  FileSystem& files_;
  Ranks& ranks_;
  Checkpoints checkpoints_;
  Trainer trainer_;
  AppendFile* metrics_ = nullptr;
  EventLog* board_ = nullptr;
  AppendFile* events_ = nullptr;
  std::string last_check_;  // JSON
  std::future<Status> saving_;
  std::int64_t saving_step_ = 0;
  double blocked_ = 0;       // seconds that the training thread gave to the checkpoint being written
  double save_seconds_ = 0;  // from the beginning of a checkpoint until it is on the disk
  double seconds_before_ = 0;
  StepTimes spent_;
  double spent_checking_ = 0;
  Clock::time_point started_, last_save_;
};

Result<RunResult> lead_run(const SequenceModel<float>& model, const RunRequest& request, const RunOptions& options,
                           const StopFlag& stop, RunObserver& observer, FileSystem& files, Ranks& ranks) {
  if (const Status made = make_directories(options.folder, files); !made) return made.error();
  const Result<FileLock> lock = FileLock::acquire(options.folder / "lock");
  if (!lock) return lock.error();
  const auto claim =
      FolderClaim::take(options.folder,
                        {.stop = &stop,
                         .watching =
                             [&](const std::string& who) {
                               observer.warned(fmt::format("{} has {}; watching whether it is still at work", who,
                                                           options.folder.string()));
                             }},
                        files);
  if (!claim) return claim.error();
  LockedFiles locked(files, *lock, claim->get());
  if (const Status cleaned = remove_temporaries(options.folder, locked); !cleaned) return cleaned.error();
  if (const Status cleaned = Checkpoints(options.folder, locked).remove_leftovers(); !cleaned) return cleaned.error();
  if (const Status settled = settle_manifest(model, request, options, locked); !settled) return settled.error();
  auto result = read_result(options.folder);
  if (!result) return result.error();
  if (result->has_value()) return **result;
  return Run(model, request, options, stop, observer, locked, ranks).go();
}

}  // namespace

Result<RunResult> train_run(const SequenceModel<float>& model, const RunRequest& request, const RunOptions& options,
                            const StopFlag& stop, RunObserver& observer, FileSystem& files, Ranks& ranks) {
  require(model.config().name == request.model.name, "train_run: the request names another model");
  require(ranks.is_first(), "train_run: rank 0 leads, the others follow");
  Result<RunResult> result = lead_run(model, request, options, stop, observer, files, ranks);
  goes_on(ranks, false);
  return result;
}

Status begin_run_at(std::size_t stage, const SequenceModel<float>& model, const RunRequest& request,
                    const fs::path& folder) {
  Trainer trainer(model, {.recipe = request.recipe.recipe, .task = request.task, .seed = request.seed}, 1);
  trainer.enter(stage);
  if (const Status made = make_directories(folder); !made) return made;
  return Checkpoints(folder).save(take_snapshot(trainer, {.hash = run_hash(request)}));
}

}  // namespace schemamem
