#include "record/run_folders.h"

#include <fmt/format.h>

#include "system/files.h"

namespace schemamem {

namespace fs = std::filesystem;

bool is_run(const fs::path& folder) { return !is_absent(folder / "run.json"); }

Result<std::vector<fs::path>> runs_in(const fs::path& folder) {
  const auto names = list_directory(folder);
  if (!names) return names.error();
  std::vector<fs::path> runs;
  for (const std::string& name : *names) {
    if (is_run(folder / name)) runs.push_back(folder / name);
  }
  return runs;
}

Result<std::vector<fs::path>> find_runs(const fs::path& path) {
  if (is_run(path)) return std::vector{path};
  std::error_code unreadable;
  if (!fs::is_directory(path, unreadable)) {
    return Error(ErrorKind::kMissingInput,
                 fmt::format("{} is no folder. Name run folders, or folders of runs; `schemamem train` makes runs.",
                             path.string()));
  }
  auto runs = runs_in(path);
  if (!runs || !runs->empty()) return runs;
  return Error(ErrorKind::kMissingInput,
               fmt::format("{} holds no runs: neither it nor a folder in it has a run.json. `schemamem train` and "
                           "`schemamem sweep run` make runs.",
                           path.string()));
}

}  // namespace schemamem
