#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace schemamem {

/// One thing in a run's folder that is not as the program left it.
struct Finding {
  bool unreadable = false;  // the system would not hand it out: nothing is known about its content
  std::string file;         // "checkpoints/step-000000250/state.json", relative to the run
  std::string what;         // what was expected and what was found
  std::string rescue;       // what can be saved, and how
};

/// What a run's folder is worth.
struct RunCheck {
  std::filesystem::path folder;
  std::string state;  // "passed", "step-limit", "unfinished", "running"; "unknown" without a manifest
  std::size_t checkpoints = 0, records = 0;  // that are whole
  std::vector<Finding> findings{};
  std::vector<std::string> notes{};  // no damage: what a killed process left, what a resume will cut

  bool whole() const { return findings.empty(); }
};

/// Holds everything in a run's folder against everything else in it, as a database's integrity check does: the manifest
/// against its hash and the folder's name, checkpoints against the hashes of their markers and against each other,
/// state against metrics, the result against metrics and weights, records against the SHA-256 of the weights. Reads
/// only, follows no symbolic link inside the folder, and never fails: what is wrong is among the findings.
RunCheck check_run(const std::filesystem::path& folder);

/// `path` if it looks like a run, else the runs right below it, or with `deep` all below it; by name. A run that lost
/// its manifest is one too. None at all is a missing input; symbolic links are not followed.
Result<std::vector<std::filesystem::path>> runs_to_check(const std::filesystem::path& path, bool deep);

}  // namespace schemamem
