#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"

namespace schemamem {

/// A run is a folder with a run.json, its manifest (docs/formats.md, "Runs"). One that cannot be looked at counts, so
/// that reading it tells why.
bool is_run(const std::filesystem::path& folder);
/// The runs right below a folder, by name.
Result<std::vector<std::filesystem::path>> runs_in(const std::filesystem::path& folder);
/// `path` if it is a run, else the runs right below it. Neither is a missing input.
Result<std::vector<std::filesystem::path>> find_runs(const std::filesystem::path& path);

}  // namespace schemamem
