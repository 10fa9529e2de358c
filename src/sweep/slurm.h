#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "sweep/plan.h"
#include "sweep/runs.h"
#include "sweep/slurm_submission.h"
#include "sweep/slurm_text.h"

namespace schemamem {

/// The scheduler of a cluster, through its own programs: sbatch, squeue, scontrol, sacct, scancel. They are found in
/// PATH and started without a shell.
class Slurm {
 public:
  /// Where a sweep's runs are in Slurm, as far as it tells.
  struct Places {
    std::map<std::string, SlurmJob> queued{};  // by run: waiting or running
    std::map<std::string, SlurmJob> ended{};   // by run: the last element that had it, if Slurm remembers
    std::set<std::int64_t> arrays{};           // that have something waiting or running
  };
  /// What is waiting or running of these submissions. An error where Slurm does not answer: that is no empty queue.
  static Result<Places> queue(const std::vector<SlurmSubmission>& submissions);
  /// The same, and how elements ended that are no longer there: by its accounts, else by what it still remembers.
  static Result<Places> look(const std::vector<SlurmSubmission>& submissions);

  struct Job {
    SlurmRequest request{};
    bool evaluate = false;
    std::string isa{};
    std::filesystem::path program{};
  };
  struct Submitted {
    std::int64_t job = 0;  // its number; 0 if there was nothing to submit
    std::size_t runs = 0, parts = 0;
    std::size_t queued = 0;  // runs that were in Slurm already
  };
  /// Submits what nobody has finished and Slurm does not have yet, as one job array. One at a time for each sweep,
  /// among all hosts.
  static Result<Submitted> submit(const SweepRuns& runs, const SweepPlan& plan, const Job& job);
  /// The script that `submit` would hand over; nothing if there is nothing to submit. Asks Slurm where it is there.
  static Result<std::optional<std::string>> dry_run(const SweepRuns& runs, const Job& job);

  /// Cancels what is waiting or running; how many elements there were.
  static Result<std::size_t> cancel(const std::vector<SlurmSubmission>& submissions);
};

}  // namespace schemamem
