#include "sweep/slurm_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "base/text.h"

namespace schemamem {
namespace {

constexpr std::size_t kLongestField = 256;
constexpr std::int64_t kMostNumber = 4'294'967'294;  // Slurm's numbers have 32 bits; the last is none
constexpr std::int64_t kDefaultArraySize = 1001;

bool only_of(std::string_view text, std::string_view more) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           more.find(c) != std::string_view::npos;
  });
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc{} || end != text.data() + text.size() || number < 0 || number > kMostNumber)
    return std::nullopt;
  return number;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

Error not_understood(std::string_view program, std::string_view line, std::string_view expected) {
  return {ErrorKind::kBadData,
          fmt::format("{} answered {}; expected {}. Is it Slurm's own?", program, quote(line), expected)};
}

/// "CANCELLED by 1000" is a state, too.
bool is_state(std::string_view text) {
  const std::string_view word = text.substr(0, text.find(' '));
  return !word.empty() && text.size() <= kLongestField &&
         std::all_of(word.begin(), word.end(), [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; });
}

/// The lines of an answer, without empty ones.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines = split(text, '\n');
  std::erase_if(lines, [](std::string_view line) { return line.empty(); });
  return lines;
}

std::string shown(std::string_view text) { return printable(text.substr(0, kLongestField)); }

}  // namespace

std::string SlurmJob::id() const { return fmt::format("{}_{}", array, index); }

Result<std::vector<SlurmJob>> parse_squeue(std::string_view text) {
  std::vector<SlurmJob> jobs;
  for (const std::string_view line : lines_of(text)) {
    // The reason comes last: it may be any text.
    std::vector<std::string_view> fields;
    std::string_view rest = line;
    while (fields.size() < 6 && rest.find('|') != std::string_view::npos) {
      fields.push_back(rest.substr(0, rest.find('|')));
      rest.remove_prefix(fields.back().size() + 1);
    }
    const auto array = fields.size() == 6 ? whole_number(fields[0]) : std::nullopt;
    const auto index = fields.size() == 6 ? whole_number(fields[1]) : std::nullopt;
    if (!array || !index || !is_state(fields[3]))
      return not_understood("squeue", line, fmt::format("the form {}", kSqueueFormat));
    jobs.push_back({.array = *array,
                    .index = *index,
                    .name = shown(fields[2]),
                    .state = std::string(fields[3]),
                    .used = shown(fields[4]),
                    .node = shown(fields[5]),
                    .reason = rest == "None" ? "" : shown(rest)});
  }
  return jobs;
}

Result<std::vector<SlurmJob>> parse_sacct(std::string_view text) {
  std::vector<SlurmJob> jobs;
  for (const std::string_view line : lines_of(text)) {
    const std::vector<std::string_view> fields = split(line, '|');
    if (fields.size() != 5 || !is_state(fields[1]))
      return not_understood("sacct", line, fmt::format("the columns {}", kSacctColumns));
    const std::vector<std::string_view> id = split(fields[0], '_');
    const auto array = whole_number(id[0]), index = id.size() == 2 ? whole_number(id[1]) : std::nullopt;
    if (!array || !index) continue;
    jobs.push_back({.array = *array,
                    .index = *index,
                    .state = std::string(fields[1]),
                    .used = shown(fields[2]),
                    .node = shown(fields[3]),
                    .reason = "exit " + shown(fields[4])});
  }
  return jobs;
}

Result<std::vector<SlurmJob>> parse_scontrol(std::string_view text) {
  std::vector<SlurmJob> jobs;
  for (const std::string_view line : lines_of(text)) {
    if (!line.starts_with("JobId=")) return not_understood("scontrol", line, "lines that begin with JobId=");
    std::map<std::string_view, std::string_view> fields;  // the first of each name: texts of users come later
    for (const std::string_view word : split(line, ' ')) {
      const std::size_t equals = word.find('=');
      if (equals != std::string_view::npos) fields.try_emplace(word.substr(0, equals), word.substr(equals + 1));
    }
    const auto array = whole_number(fields["ArrayJobId"]), index = whole_number(fields["ArrayTaskId"]);
    if (fields["ArrayTaskId"].empty() || !array || !index) continue;
    if (!is_state(fields["JobState"])) return not_understood("scontrol", line, "a JobState");
    jobs.push_back({.array = *array,
                    .index = *index,
                    .state = std::string(fields["JobState"]),
                    .used = shown(fields["RunTime"]),
                    .node = shown(fields["NodeList"]),
                    .reason = "exit " + shown(fields["ExitCode"])});
  }
  return jobs;
}

std::int64_t parse_array_size(std::string_view text) {
  for (const std::string_view line : lines_of(text)) {
    if (!line.starts_with("MaxArraySize")) continue;
    const std::size_t digits = line.find_first_of("0123456789");
    const auto size = digits == std::string_view::npos ? std::nullopt : whole_number(line.substr(digits));
    if (size && *size > 0) return *size;
  }
  return kDefaultArraySize;
}

Result<std::int64_t> parse_submitted(std::string_view text) {
  const std::vector<std::string_view> lines = lines_of(text);
  const auto number = lines.size() == 1 ? whole_number(split(lines.front(), ';').front()) : std::nullopt;
  if (!number || *number == 0) return not_understood("sbatch", text, "the number of a job");
  return *number;
}

Status check_request(const SlurmRequest& request) {
  const auto wrong = [](std::string_view option, const std::string& found, std::string_view expected) {
    return Error(ErrorKind::kUsage, fmt::format("{} {}: expected {}.", option, quote(found), expected));
  };
  if (!only_of(request.partition, "_.,-"))
    return wrong("--partition", request.partition, "names of partitions, with commas between them");
  if (!only_of(request.time, ":-"))
    return wrong("--time", request.time, "minutes, hours:minutes:seconds or days-hours:minutes, such as 4:00:00");
  for (const std::string& option : request.more) {
    const bool is_line = std::all_of(option.begin(), option.end(), [](char c) { return c >= ' ' && c <= '~'; });
    if (!option.starts_with("--") || !is_line)
      return wrong("--sbatch", option, "one option of sbatch, such as --sbatch=--account=lab");
  }
  return Done{};
}

Status check_path(const std::filesystem::path& path, std::string_view what) {
  if (path.is_absolute() && only_of(path.native(), "/._-+@=,:")) return Done{};
  return Error(ErrorKind::kUsage,
               fmt::format("{} {} has characters that a job script cannot carry; Slurm needs an absolute path of "
                           "letters, digits and / . _ - + @ = , :",
                           what, quote(path.string())));
}

std::string job_script(const SlurmRequest& request, const std::string& name, std::size_t parts,
                       const std::filesystem::path& program, const std::string& isa,
                       const std::filesystem::path& submission) {
  std::string text =
      "#!/bin/sh\n"
      "# Trains what was missing of a sweep: every element of the array is one part of job.json beside this script.\n";
  const auto option = [&](const std::string& line) { text += "#SBATCH " + line + "\n"; };
  option("--job-name=" + name);
  option(fmt::format("--array=0-{}{}", parts - 1,
                     request.array_limit > 0 ? fmt::format("%{}", request.array_limit) : std::string()));
  option("--nodes=1");
  option("--ntasks=1");
  option(fmt::format("--cpus-per-task={}", request.jobs_per_node * request.threads));
  if (!request.partition.empty()) option("--partition=" + request.partition);
  if (!request.time.empty()) option("--time=" + request.time);
  option(fmt::format("--signal=B:USR1@{}", request.warning));
  option("--requeue");
  option("--open-mode=append");
  option(fmt::format("--output={}/%a.log", submission.string()));
  for (const std::string& more : request.more) option(more);
  // The shell alone is warned of the time limit; it passes that on, and waits for the runs to be saved. What is
  // cancelled, or put back by Slurm itself, is told by TERM and stays as it was ordered.
  text += fmt::format(
      R"(
warned=
part=
trap 'warned=yes; [ -z "$part" ] || kill -USR1 "$part"' USR1
trap '[ -z "$part" ] || kill -TERM "$part"' TERM
{} --isa {} sweep part {} "$SLURM_ARRAY_TASK_ID" &
part=$!
[ -z "$warned" ] || kill -USR1 "$part"
while :; do
  wait "$part"
  code=$?
  kill -0 "$part" 2>/dev/null || break
done
if [ "$code" -eq 75 ] && [ -n "$warned" ]; then
  scontrol requeue "${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID"
fi
exit "$code"
)",
      program.string(), isa, submission.string());
  return text;
}

}  // namespace schemamem
