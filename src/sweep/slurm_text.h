#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// What is said to Slurm and what it answers. Its answers are a stranger's text: they are of one form or refused.

namespace schemamem {

/// An element of a job array, as Slurm tells of it.
struct SlurmJob {
  std::int64_t array = 0;  // the number of the whole array
  std::int64_t index = 0;  // of this element
  std::string name{};      // of the array; of `squeue` alone
  std::string state{};     // "PENDING", "RUNNING", "TIMEOUT", ...
  std::string used{};      // time it has run
  std::string node{};      // where it runs
  std::string reason{};    // why it waits, or how it ended ("exit 2:0")

  /// "17_3"
  std::string id() const;
  friend bool operator==(const SlurmJob&, const SlurmJob&) = default;
};

/// The format that `squeue` is asked for.
inline constexpr std::string_view kSqueueFormat = "%F|%K|%j|%T|%M|%N|%r";
Result<std::vector<SlurmJob>> parse_squeue(std::string_view text);

/// `sacct --parsable2` with these columns. Lines about anything but one element of an array are passed over.
inline constexpr std::string_view kSacctColumns = "JobID,State,Elapsed,NodeList,ExitCode";
Result<std::vector<SlurmJob>> parse_sacct(std::string_view text);

/// `scontrol --oneliner show job`. Lines about anything but one element of an array are passed over.
Result<std::vector<SlurmJob>> parse_scontrol(std::string_view text);

/// MaxArraySize of `scontrol show config`; Slurm's default where it does not say.
std::int64_t parse_array_size(std::string_view text);

/// The number that `sbatch --parsable` answers with: "17" or "17;cluster".
Result<std::int64_t> parse_submitted(std::string_view text);

/// What a job array is asked to be.
struct SlurmRequest {
  std::string partition{}, time{};  // as sbatch spells them; empty: as the cluster has it
  int jobs_per_node = 1;            // runs at once in one element
  int threads = 1;                  // of each run
  std::int64_t array_limit = 0;     // elements at once; 0: as many as there is room for
  int warning = 60;                 // seconds before the time limit
  std::vector<std::string> more{};  // other options of sbatch
};
/// Refuses, as usage, values that are no option of sbatch.
Status check_request(const SlurmRequest& request);

/// The script of an array whose element i is `<program> sweep part <submission> i`. Paths must be those of
/// `check_path`.
std::string job_script(const SlurmRequest& request, const std::string& name, std::size_t parts,
                       const std::filesystem::path& program, const std::string& isa,
                       const std::filesystem::path& submission);
/// Refuses, as usage, a path that is not absolute or has characters that a shell or Slurm reads as something else.
Status check_path(const std::filesystem::path& path, std::string_view what);

}  // namespace schemamem
