#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "check/check.h"
#include "system/files.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 16;

/// Whatever has a manifest, of whatever kind, or files that only runs have.
bool looks_like_a_run(const fs::path& folder) {
  const auto has = [&](const char* name) {
    std::error_code fault;
    return fs::symlink_status(folder / name, fault).type() != fs::file_type::not_found;
  };
  constexpr std::array kOthers{"result.json", "metrics.jsonl", "checkpoints"};
  return has("run.json") || std::any_of(kOthers.begin(), kOthers.end(), has);
}

Status collect(const fs::path& folder, int levels, std::vector<fs::path>& runs) {
  const auto names = list_directory(folder);
  if (!names) return Error(ErrorKind::kInputOutput, names.error().message());
  for (const std::string& name : *names) {
    std::error_code fault;
    const fs::path inner = folder / name;
    if (fs::symlink_status(inner, fault).type() != fs::file_type::directory) continue;
    if (looks_like_a_run(inner)) {
      runs.push_back(inner);
    } else if (levels > 1) {
      if (const Status deeper = collect(inner, levels - 1, runs); !deeper) return deeper;
    }
  }
  return Done{};
}

}  // namespace

Result<std::vector<fs::path>> runs_to_check(const fs::path& path, bool deep) {
  std::error_code fault;
  const fs::file_status status = fs::status(path, fault);
  if (status.type() == fs::file_type::not_found || status.type() == fs::file_type::none ||
      status.type() != fs::file_type::directory) {
    const bool unreadable = status.type() == fs::file_type::none;
    return Error(unreadable ? ErrorKind::kInputOutput : ErrorKind::kMissingInput,
                 fmt::format("{} is no folder that can be read{}. Name run folders, or folders of runs.",
                             quote(path.string()), fault ? ": " + fault.message() : ""));
  }
  if (looks_like_a_run(path)) return std::vector{path};
  std::vector<fs::path> runs;
  if (const Status collected = collect(path, deep ? kDeepest : 1, runs); !collected) return collected.error();
  if (!runs.empty()) return runs;
  return Error(
      ErrorKind::kMissingInput,
      fmt::format("{} holds no runs{}. `schemamem train` and `schemamem sweep run` make runs.", quote(path.string()),
                  deep ? "" : ": neither it nor a folder right below it is one; --all looks further down"));
}

}  // namespace schemamem
