#include "sweep/slurm_submission.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/name.h"
#include "base/text.h"
#include "system/files.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kTable = "job.json";
constexpr std::size_t kLargestTable = std::size_t{32} << 20;
constexpr std::int64_t kMostAtOnce = 1 << 20;

/// The numbers of a sweep's submissions, in order.
Result<std::vector<std::uint32_t>> numbers_in(const fs::path& folder) {
  std::vector<std::uint32_t> numbers;
  if (is_absent(folder)) return numbers;
  const auto names = list_directory(folder);
  if (!names) return names.error();
  for (const std::string& name : *names) {
    std::uint32_t number = 0;
    const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (fault == std::errc{} && end == name.data() + name.size() && name.front() != '0') numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace

std::string submission_json(const SlurmSubmission& submission) {
  Json json{{"format", 1},
            {"name", submission.name},
            {"job", nullptr},
            {"jobs", submission.jobs},
            {"threads", submission.threads},
            {"evaluate", submission.evaluate},
            {"parts", submission.parts}};
  if (submission.job) json["job"] = *submission.job;
  return json.dump(1) + "\n";
}

Result<SlurmSubmission> parse_submission(std::string_view text, const std::string& file) {
  const auto json = parse_json_object(text, file, {.bytes = kLargestTable});
  if (!json) return json.error();
  json->allow_only({"format", "name", "job", "jobs", "threads", "evaluate", "parts"});
  json->at("format").expect(json->count("format") == 1, "expected 1; use the program that wrote it");
  SlurmSubmission submission{.name = json->text("name"),
                             .jobs = static_cast<int>(json->at("jobs").count(kMostAtOnce)),
                             .threads = static_cast<int>(json->at("threads").count(kMostAtOnce)),
                             .evaluate = json->flag("evaluate")};
  if (const JsonField job = json->at("job"); !job.is_null()) submission.job = job.count();
  for (const JsonField& part : json->items("parts")) {
    std::vector<std::string>& runs = submission.parts.emplace_back();
    for (const JsonField& run : part.items()) {
      runs.push_back(run.text());
      run.expect(is_name(runs.back().substr(0, kLongestName)) && runs.back().find('/') == std::string::npos,
                 "expected the name of a run");
    }
  }
  json->at("jobs").expect(submission.jobs >= 1, "expected at least 1");
  json->at("threads").expect(submission.threads >= 1, "expected at least 1");
  if (const Status read = json->status(); !read) return read.error();
  if (const Status named = check_name(submission.name, file + ": name"); !named) return named.error();
  return submission;
}

Result<fs::path> next_submission(const fs::path& sweep) {
  const auto numbers = numbers_in(sweep / kSlurmFolder);
  if (!numbers) return numbers.error();
  return sweep / kSlurmFolder / std::to_string(numbers->empty() ? 1 : numbers->back() + 1);
}

Status write_submission(const fs::path& sweep, const SweepPlan& plan, SlurmSubmission& submission) {
  const auto folder = next_submission(sweep);
  if (!folder) return folder.error();
  submission.folder = *folder;
  if (const Status made = make_directories(submission.folder); !made) return made;
  if (const Status written = write_file_atomically(submission.folder / kSweepFile, sweep_toml(plan)); !written)
    return written;
  return note_job(submission);
}

Status note_job(const SlurmSubmission& submission) {
  return write_file_atomically(submission.folder / kTable, submission_json(submission));
}

Result<SlurmSubmission> read_submission(const fs::path& folder) {
  const fs::path path = folder / kTable;
  if (is_absent(path)) {
    return Error(ErrorKind::kMissingInput,
                 fmt::format("{} is no submission of a sweep: it has no {}. `schemamem sweep run --executor slurm` "
                             "makes one.",
                             folder.string(), kTable));
  }
  const auto text = read_text_file(path, kLargestTable);
  if (!text) return text.error();
  auto submission = parse_submission(*text, path.string());
  if (submission) submission.value().folder = folder;
  return submission;
}

Result<std::vector<SlurmSubmission>> read_submissions(const fs::path& sweep) {
  const auto numbers = numbers_in(sweep / kSlurmFolder);
  if (!numbers) return numbers.error();
  std::vector<SlurmSubmission> submissions;
  for (const std::uint32_t number : *numbers) {
    const fs::path folder = sweep / kSlurmFolder / std::to_string(number);
    if (is_absent(folder / kTable)) continue;  // begun and never told to Slurm
    auto submission = read_submission(folder);
    if (!submission) return submission.error();
    submissions.push_back(std::move(submission).value());
  }
  return submissions;
}

Result<SweepRuns> part_runs(const SlurmSubmission& submission, std::int64_t index) {
  if (index < 0 || static_cast<std::size_t>(index) >= submission.parts.size()) {
    return Error(ErrorKind::kUsage, fmt::format("{} has the parts 0 to {}, found {}.", submission.folder.string(),
                                                submission.parts.size() - 1, index));
  }
  const auto plan = read_sweep(submission.folder);
  if (!plan) return plan.error();
  std::map<std::string, SweepCell> planned;
  for (SweepCell& cell : sweep_cells(*plan)) planned.emplace(cell.name, cell);
  std::vector<SweepCell> cells;
  for (const std::string& name : submission.parts[static_cast<std::size_t>(index)]) {
    const auto found = planned.find(name);
    if (found == planned.end()) {
      return Error(ErrorKind::kBadData, fmt::format("{}: {} is no run of the plan beside it.",
                                                    (submission.folder / kTable).string(), quote(name)));
    }
    cells.push_back(found->second);
  }
  return SweepRuns(submission.folder.parent_path().parent_path(), std::move(cells));
}

}  // namespace schemamem
