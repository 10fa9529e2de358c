#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sweep/plan.h"
#include "train/run_status.h"

namespace schemamem {

/// The runs of a plan and how they stand.
class SweepRuns {
 public:
  SweepRuns(std::filesystem::path folder, std::vector<SweepCell> cells);

  const std::filesystem::path& folder() const { return folder_; }
  const std::vector<SweepCell>& cells() const { return cells_; }
  std::filesystem::path run(std::size_t cell) const { return folder_ / cells_[cell].name; }
  /// As of the last look.
  const RunStatus& status(std::size_t cell) const { return status_[cell]; }
  const RunStatus& look(std::size_t cell);
  void look();
  StateCounts counts() const;
  /// Runs that somebody still has to train: waiting or stopped.
  std::size_t missing() const;

  /// Takes the mark from failed runs, so that a pool tries them again: from those with one of these texts in their
  /// name, or from all. How many there were.
  std::size_t forgive(const std::vector<std::string>& only) const;

 private:
  std::filesystem::path folder_;
  std::vector<SweepCell> cells_;
  std::vector<RunFollower> followers_;
  std::vector<RunStatus> status_;
};

}  // namespace schemamem
