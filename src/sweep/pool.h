#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "kernels/isa.h"
#include "sweep/evaluations.h"
#include "sweep/runs.h"
#include "system/file_lock.h"
#include "system/process.h"

namespace schemamem {

struct PoolOptions {
  int jobs = 1;
  int threads = 1;        // of each
  bool evaluate = false;  // every ended run is evaluated as well
  Isa isa = best_isa();
  std::filesystem::path program = kThisProgram;  // trains, resumes, evaluates
};
/// How the cores are shared out among so many runs: as many at once as there are cores, the cores divided among them. A
/// number of jobs or threads that is not 0 was chosen already.
PoolOptions share_cores(int jobs, int threads, std::size_t runs);

/// What a pool tells while it works.
class PoolObserver {
 public:
  virtual ~PoolObserver() = default;
  /// `work`: "train", "resume", "eval" or "ablate".
  virtual void started(std::size_t /*cell*/, const std::string& /*work*/) {}
  virtual void ended(std::size_t /*cell*/, const std::string& /*work*/, const std::string& /*how*/) {}
  virtual void ticked() {}
};

/// Finishes what is missing of a sweep, with child processes. Every run is protected by its own lock,
/// so that several pools may work in one folder: what another one does is left to it, waited for, and taken over if it
/// stops. A run that failed is marked and left alone.
class SweepPool {
 public:
  SweepPool(SweepRuns& runs, const PoolOptions& options, PoolObserver& observer);

  /// Works until every run has ended or failed; done if none failed and every evaluation was made, else kFailed, or
  /// kInterrupted for runs that were stopped again and again. On a request to stop the children are asked to stop, too,
  /// and waited for (kInterrupted). A disk that fails stops everything (kInputOutput).
  Status run(const StopFlag& stop);

  /// What is left to do, by the pace so far. An evaluation is counted in seconds as soon as one of its kind has ended.
  struct Left {
    std::optional<double> seconds;          // of what can be said; nothing while too little is known of the training
    std::size_t evaluations = 0;            // that are missing
    std::size_t evaluations_not_timed = 0;  // of these, not in the seconds
  };
  Left left() const;

 private:
  struct Job {
    std::size_t cell;
    std::string work;
    Process process;
    std::unique_ptr<FileLock> lock;  // of an evaluation
    std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
  };
  /// Seconds that evaluations of a kind took, and how many there were.
  using Taken = std::map<std::pair<std::string, std::string>, std::pair<double, double>>;  // (model, work); "": all

  bool is_busy(std::size_t cell) const;
  /// Starts one thing that is missing; false if there is nothing to start.
  Result<bool> start_one();
  Result<bool> start_training(std::size_t cell);
  Result<bool> start_evaluation(std::size_t cell);
  Status start(std::size_t cell, std::string work, const std::vector<std::string>& arguments,
               std::unique_ptr<FileLock> lock);
  Status finish(Job& job, const ProcessEnd& end);
  /// The evaluations of a run that were asked for.
  std::vector<WantedEvaluation> evaluations(std::size_t cell) const;
  /// The first of them that is neither there nor tried.
  std::string lacks(std::size_t cell);
  std::optional<double> training_left() const;
  Status stop_all();
  /// What is to be said when there is nothing left to do.
  Status outcome();

  SweepRuns& runs_;
  PoolOptions options_;
  PoolObserver& observer_;
  std::vector<double> work_;        // flops expected of each cell
  std::vector<double> steps_;       // steps expected of each cell
  std::vector<std::size_t> order_;  // the longest first
  std::vector<int> starts_;
  std::set<std::pair<std::size_t, std::string>> tried_;  // evaluations that are done or failed
  std::size_t evaluations_failed_ = 0;
  Taken taken_;
  std::vector<Job> jobs_;
};

}  // namespace schemamem
