#include "eval/targets.h"

#include <fmt/format.h>

#include "catalog/find_model.h"
#include "record/run_folders.h"
#include "system/files.h"

namespace schemamem {

namespace fs = std::filesystem;

Result<EvaluationTargets> find_targets(const fs::path& path) {
  const Result<fs::path> one = weights_at(path);
  if (one) return EvaluationTargets{.weights = {*one}};
  if (is_run(path)) return one.error();
  if (is_absent(path)) {
    return Error(ErrorKind::kMissingInput,
                 fmt::format("{}: no such file or folder. Name a run, a folder of runs, or a .safetensors file.",
                             path.string()));
  }
  EvaluationTargets targets;
  const auto runs = runs_in(path);
  if (!runs) return runs.error();
  for (const fs::path& run : *runs) {
    if (!is_absent(run / "model.safetensors")) {
      targets.weights.push_back(run / "model.safetensors");
    } else {
      targets.skipped.push_back({run, unfinished_run(run)});
    }
  }
  if (!targets.weights.empty()) return targets;
  if (!targets.skipped.empty()) {
    return Error(ErrorKind::kMissingInput,
                 fmt::format("{} has {} runs and none of them is finished. {}: {}", path.string(),
                             targets.skipped.size(), targets.skipped[0].folder.string(), targets.skipped[0].reason));
  }
  return Error(ErrorKind::kMissingInput,
               fmt::format("{} is neither a run nor a folder of runs: no run.json and no model.safetensors was found. "
                           "`schemamem train` makes runs.",
                           path.string()));
}

}  // namespace schemamem
