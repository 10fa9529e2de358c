#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace schemamem {

/// A run that is no checkpoint yet: why, and what to do.
struct SkippedRun {
  std::filesystem::path folder;
  std::string reason;
};

/// What a path of the command line stands for.
struct EvaluationTargets {
  std::vector<std::filesystem::path> weights;  // files
  std::vector<SkippedRun> skipped{};           // unfinished runs in a folder of runs
};

/// The weights that `path` means: a file of weights, a folder that holds a model.safetensors (a run, a checkpoint), or
/// a folder of runs, whose unfinished ones are skipped. An unfinished run that was named itself is a missing input
/// whose message says how far it is.
Result<EvaluationTargets> find_targets(const std::filesystem::path& path);

}  // namespace schemamem
