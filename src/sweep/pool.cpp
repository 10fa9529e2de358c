#include "sweep/pool.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <sstream>
#include <thread>

#include "base/text.h"
#include "sweep/cost.h"
#include "system/exit_codes.h"
#include "system/files.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kNap{20}, kLookEvery{500};
/// How often a run that was killed, or stopped by somebody else, is started again by one pool.
constexpr int kMostStarts = 3;
constexpr std::uint64_t kLogTail = 1 << 14;

/// What a program said last about its failure.
std::string last_error(const fs::path& log) {
  const auto tail = read_tail(log, kLogTail);
  if (!tail) return tail.error().message();
  std::istringstream text(tail->value_or(""));
  constexpr std::string_view kPrefix = "error: ";
  std::string found, last;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with(kPrefix)) found = line.substr(kPrefix.size());
    if (!line.empty()) last = line;
  }
  const std::string& told = found.empty() ? last : found;
  return told.empty() ? fmt::format("it said nothing; {} is empty", log.string()) : printable(told);
}

}  // namespace

PoolOptions share_cores(int jobs, int threads, std::size_t runs) {
  const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  PoolOptions options;
  const auto fitting = static_cast<std::size_t>(std::max(1, cores / std::max(1, threads)));
  options.jobs = jobs > 0 ? jobs : static_cast<int>(std::clamp<std::size_t>(runs, 1, fitting));
  options.threads = threads > 0 ? threads : std::max(1, cores / options.jobs);
  return options;
}

SweepPool::SweepPool(SweepRuns& runs, const PoolOptions& options, PoolObserver& observer)
    : runs_(runs), options_(options), observer_(observer), starts_(runs.cells().size()) {
  const auto& cells = runs.cells();
  const std::vector<FinishedRun> finished = finished_runs(runs.folder(), cells);
  for (const SweepCell& cell : cells) {
    const auto work = expected_work(cell.request, finished);
    work_.push_back(work ? *work : 0);
    steps_.push_back(std::max(1.0, expected_steps(cell.request, finished).total()));
  }
  order_.resize(cells.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return work_[a] > work_[b]; });
}

bool SweepPool::is_busy(std::size_t cell) const {
  return std::any_of(jobs_.begin(), jobs_.end(), [&](const Job& job) { return job.cell == cell; });
}

std::vector<WantedEvaluation> SweepPool::evaluations(std::size_t cell) const {
  return options_.evaluate ? wanted_evaluations(runs_.cells()[cell]) : std::vector<WantedEvaluation>();
}

std::string SweepPool::lacks(std::size_t cell) {
  std::string first;
  for (const WantedEvaluation& wanted : evaluations(cell)) {
    if (tried_.contains({cell, wanted.work})) continue;
    const bool there = has_evaluation(runs_.run(cell), wanted);
    if (there) tried_.insert({cell, wanted.work});
    if (!there && first.empty()) first = wanted.work;
  }
  return first;
}

Status SweepPool::start(std::size_t cell, std::string work, const std::vector<std::string>& arguments,
                        std::unique_ptr<FileLock> lock) {
  std::vector<std::string> words{"schemamem", "--isa", std::string(isa_name(options_.isa))};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const char* const log = work == "train" || work == "resume" ? "train.log" : "evaluate.log";
  auto process = Process::start(options_.program, words, runs_.run(cell) / log);
  if (!process) return process.error();
  observer_.started(cell, work);
  jobs_.push_back({cell, std::move(work), std::move(process).value(), std::move(lock)});
  return Done{};
}

Result<bool> SweepPool::start_training(std::size_t cell) {
  if (is_busy(cell) || starts_[cell] >= kMostStarts) return false;
  const auto is_open = [](RunState state) { return state == RunState::kWaiting || state == RunState::kStopped; };
  if (!is_open(runs_.status(cell).state)) return false;
  const RunState state = runs_.look(cell).state;
  if (!is_open(state)) return false;
  if (const Status made = make_directories(runs_.run(cell)); !made) return made.error();
  ++starts_[cell];
  // A run that was begun goes on with its own instruction set, which `resume` sees to.
  const bool resumes = state == RunState::kStopped;
  std::vector<std::string> arguments{"resume", runs_.run(cell).string(), "--threads", std::to_string(options_.threads)};
  if (!resumes) {
    const auto fresh = train_arguments(runs_.cells()[cell], runs_.folder(), options_.threads);
    if (!fresh) return fresh.error();
    arguments = *fresh;
  }
  if (const Status started = start(cell, resumes ? "resume" : "train", arguments, nullptr); !started)
    return started.error();
  return true;
}

Result<bool> SweepPool::start_evaluation(std::size_t cell) {
  if (is_busy(cell) || !has_ended(runs_.status(cell).state)) return false;
  const std::string work = lacks(cell);
  if (work.empty()) return false;
  Result<FileLock> lock = FileLock::acquire(runs_.run(cell) / "evaluate.lock");
  if (!lock) return false;  // another pool is at it
  const Status started =
      start(cell, work, {work, runs_.run(cell).string()}, std::make_unique<FileLock>(std::move(lock).value()));
  if (!started) return started.error();
  return true;
}

Result<bool> SweepPool::start_one() {
  for (const std::size_t cell : order_) {
    const Result<bool> started = start_training(cell);
    if (!started || *started) return started;
  }
  for (const std::size_t cell : order_) {
    const Result<bool> started = start_evaluation(cell);
    if (!started || *started) return started;
  }
  return false;
}

Status SweepPool::finish(Job& job, const ProcessEnd& end) {
  const bool trains = job.work == "train" || job.work == "resume";
  for (const Job& other : jobs_) runs_.look(other.cell);  // so that what is told about them is true
  const RunStatus& status = runs_.look(job.cell);
  const fs::path folder = runs_.run(job.cell);
  if (!trains) {
    const bool done = end == ProcessEnd{};
    tried_.insert({job.cell, job.work});
    if (!done) ++evaluations_failed_;
    const double seconds = std::chrono::duration<double>(Clock::now() - job.started).count();
    for (const std::string& model : {runs_.cells()[job.cell].request.model.text(), std::string()}) {
      if (!done) break;  // says nothing about the others
      auto& [sum, count] = taken_[{model, job.work}];
      sum += seconds;
      ++count;
    }
    observer_.ended(job.cell, job.work, done ? "done" : how_it_ended(end) + ": " + last_error(folder / "evaluate.log"));
    return Done{};
  }
  if (has_ended(status.state)) {
    observer_.ended(job.cell, job.work, std::string(state_name(status.state)));
    return Done{};
  }
  if (status.state == RunState::kRunning) {
    observer_.ended(job.cell, job.work, "left to " + status.message);
    return Done{};
  }
  const bool again = end.signal != 0 || end.code == exit_code(ErrorKind::kInterrupted) ||
                     (end.code == exit_code(ErrorKind::kCannotCreate) && starts_[job.cell] < kMostStarts);
  if (again) {
    observer_.ended(job.cell, job.work, "stopped, " + how_it_ended(end));
    return Done{};
  }
  const std::string message = last_error(folder / "train.log");
  if (end.code == exit_code(ErrorKind::kInputOutput))
    return Error(ErrorKind::kInputOutput, fmt::format("{}: {}", runs_.cells()[job.cell].name, message));
  if (const Status marked = mark_failed(folder, end.code, message); !marked) return marked;
  runs_.look(job.cell);
  observer_.ended(job.cell, job.work, "failed, " + how_it_ended(end) + ": " + message);
  return Done{};
}

Status SweepPool::stop_all() {
  for (Job& job : jobs_) job.process.signal(SIGTERM);
  for (Job& job : jobs_) {
    const ProcessEnd end = job.process.wait();
    const RunState state = runs_.look(job.cell).state;
    observer_.ended(job.cell, job.work,
                    has_ended(state) ? std::string(state_name(state)) : fmt::format("stopped, {}", how_it_ended(end)));
  }
  jobs_.clear();
  return Error(ErrorKind::kInterrupted,
               fmt::format("stopped on request; every run is saved. `schemamem sweep run {}` goes on.",
                           runs_.folder().string()));
}

Status SweepPool::run(const StopFlag& stop) {
  runs_.look();
  for (std::size_t i = 0; i < starts_.size(); ++i) {
    if (has_ended(runs_.status(i).state)) lacks(i);  // what is there already is not counted as left
  }
  Clock::time_point looked = Clock::now();
  for (;;) {
    if (stop.load()) return stop_all();
    for (std::size_t i = jobs_.size(); i-- > 0;) {
      const auto end = jobs_[i].process.end();
      if (!end) continue;
      Job job = std::move(jobs_[i]);
      jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(i));
      job.lock.reset();
      if (stop.load()) {
        observer_.ended(job.cell, job.work, "stopped, " + how_it_ended(*end));
        continue;
      }
      if (const Status finished = finish(job, *end); !finished) return finished;
    }
    while (jobs_.size() < static_cast<std::size_t>(options_.jobs)) {
      const Result<bool> started = start_one();
      if (!started) return started.error();
      if (!*started) break;
    }
    if (jobs_.empty() && !runs_.counts().contains(RunState::kRunning)) return outcome();
    observer_.ticked();
    std::this_thread::sleep_for(jobs_.empty() ? kLookEvery : kNap);
    if (Clock::now() - looked >= kLookEvery) {
      runs_.look();
      looked = Clock::now();
    }
  }
}

Status SweepPool::outcome() {
  runs_.look();
  StateCounts counts = runs_.counts();
  const std::size_t all = runs_.cells().size();
  const std::string folder = runs_.folder().string();
  if (const std::size_t failed = counts[RunState::kFailed]; failed > 0)
    return Error(ErrorKind::kFailed, fmt::format("{} of {} runs failed. Each has its train.log; `schemamem sweep retry "
                                                 "{}` tries them again.",
                                                 failed, all, folder));
  if (const std::size_t open = runs_.missing(); open > 0)
    return Error(ErrorKind::kInterrupted,
                 fmt::format("{} of {} runs were stopped again and again. `schemamem sweep run {}` goes on.", open, all,
                             folder));
  if (evaluations_failed_ > 0)
    return Error(ErrorKind::kFailed, fmt::format("{} evaluations failed. Each run has its evaluate.log; the same "
                                                 "command tries them again.",
                                                 evaluations_failed_));
  return Done{};
}

SweepPool::Left SweepPool::left() const {
  Left left{.seconds = training_left()};
  double seconds = 0;
  for (std::size_t i = 0; i < starts_.size(); ++i) {
    if (runs_.status(i).state == RunState::kFailed) continue;
    for (const auto& [work, prefix] : evaluations(i)) {
      if (tried_.contains({i, work})) continue;
      ++left.evaluations;
      const auto own = taken_.find({runs_.cells()[i].request.model.text(), work});
      const auto kind = own != taken_.end() ? own : taken_.find({std::string(), work});
      if (kind == taken_.end()) {
        ++left.evaluations_not_timed;
        continue;
      }
      const auto job = std::find_if(jobs_.begin(), jobs_.end(),
                                    [&, kept = work](const Job& one) { return one.cell == i && one.work == kept; });
      const double mean = kind->second.first / kind->second.second;
      const double spent = job == jobs_.end() ? 0 : std::chrono::duration<double>(Clock::now() - job->started).count();
      seconds += std::max(mean - spent, 0.05 * mean);
    }
  }
  if (left.seconds) *left.seconds += seconds / options_.jobs;
  return left;
}

std::optional<double> SweepPool::training_left() const {
  // Seconds a unit of work takes, by what each model has done so far; all models together where one has done nothing.
  std::map<std::string, std::pair<double, double>> paces;  // model -> seconds, work
  const auto done = [&](std::size_t cell) {
    const RunStatus& status = runs_.status(cell);
    if (has_ended(status.state)) return 1.0;
    return std::min(0.95, static_cast<double>(status.progress.step) / steps_[cell]);
  };
  for (std::size_t i = 0; i < work_.size(); ++i) {
    if (runs_.status(i).seconds <= 0 || done(i) <= 0) continue;
    for (const std::string& key : {runs_.cells()[i].request.model.text(), std::string()}) {
      paces[key].first += runs_.status(i).seconds;
      paces[key].second += done(i) * work_[i];
    }
  }
  if (paces.empty()) return std::nullopt;
  double seconds = 0;
  for (std::size_t i = 0; i < work_.size(); ++i) {
    if (runs_.status(i).state == RunState::kFailed) continue;
    const auto own = paces.find(runs_.cells()[i].request.model.text());
    const auto& pace = own != paces.end() ? own->second : paces.at("");
    seconds += (1 - done(i)) * work_[i] * pace.first / pace.second;
  }
  return seconds / options_.jobs;
}

}  // namespace schemamem
