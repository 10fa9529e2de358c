#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sweep/plan.h"
#include "sweep/pool.h"

namespace schemamem {

/// One job array of a sweep, as its folder `slurm/<n>` keeps it: the plan as it was (sweep.toml) and the table of what
/// each element trains (job.json). Both are written before Slurm hears of it, so that whatever becomes of the sweep's
/// plan, an element trains what it was made for.
struct SlurmSubmission {
  std::filesystem::path folder{};
  std::string name{};                 // of the job, found nowhere else
  std::optional<std::int64_t> job{};  // its number, once Slurm has said it
  int jobs = 1, threads = 1;          // of each element
  bool evaluate = false;
  std::vector<std::vector<std::string>> parts{};  // the runs of each element, by name
};

/// The text of job.json, and the way back; `file` names it in messages.
std::string submission_json(const SlurmSubmission& submission);
Result<SlurmSubmission> parse_submission(std::string_view text, const std::string& file);

/// The folder that a sweep's next one will have.
Result<std::filesystem::path> next_submission(const std::filesystem::path& sweep);
/// Makes a new folder for it in the sweep's, and writes plan and table.
Status write_submission(const std::filesystem::path& sweep, const SweepPlan& plan, SlurmSubmission& submission);
/// Writes the table again, with the job's number.
Status note_job(const SlurmSubmission& submission);
Result<SlurmSubmission> read_submission(const std::filesystem::path& folder);
/// All of a sweep, in their order; none if there never was one.
Result<std::vector<SlurmSubmission>> read_submissions(const std::filesystem::path& sweep);

/// The runs of one element, in the sweep's folder.
Result<SweepRuns> part_runs(const SlurmSubmission& submission, std::int64_t index);

/// The folder of a sweep's submissions, in its folder.
inline constexpr const char* kSlurmFolder = "slurm";

}  // namespace schemamem
