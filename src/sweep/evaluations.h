#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sweep/plan.h"

namespace schemamem {

/// A command that evaluates a run, and how the names of the records begin that it writes.
struct WantedEvaluation {
  std::string work;    // "eval" or "ablate"
  std::string prefix;  // "table-recurrent-"
};
/// What `--evaluate` asks of a run.
std::vector<WantedEvaluation> wanted_evaluations(const SweepCell& cell);
/// Whether the run of this folder has the record.
bool has_evaluation(const std::filesystem::path& run, const WantedEvaluation& wanted);

}  // namespace schemamem
