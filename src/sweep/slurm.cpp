#include "sweep/slurm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>

#include "base/sha256.h"
#include "base/text.h"
#include "sweep/evaluations.h"
#include "system/file_lock.h"
#include "system/files.h"
#include "system/folder_claim.h"
#include "system/helper.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNameDigits = 8;

/// A program's complaint as one line.
std::string complaint(const HelperEnd& answer) {
  std::string text = answer.error.empty() ? answer.out : answer.error;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (std::size_t end = 0; (end = text.find('\n', end)) != std::string::npos;) text.replace(end, 1, "; ");
  return text.empty() ? "it did not say why" : printable(text);
}

/// What one of Slurm's programs answers; an error with its own words where it fails.
Result<std::string> ask(const std::string& program, const std::vector<std::string>& arguments) {
  const auto path = find_program(program);
  if (!path) {
    return Error(ErrorKind::kMissingInput, fmt::format("Slurm's {} is not in PATH; call this on a host of the cluster, "
                                                       "or load its module.",
                                                       program));
  }
  auto answer = run_helper(*path, arguments);
  if (!answer) return answer.error();
  if (answer->end == ProcessEnd{}) return std::move(answer).value().out;
  return Error(ErrorKind::kFailed,
               fmt::format("{} failed ({}): {}", program, how_it_ended(answer->end), complaint(*answer)));
}

/// The runs of an element; none if it is not in the table.
const std::vector<std::string>& runs_of(const SlurmSubmission& submission, const SlurmJob& job) {
  static const std::vector<std::string> none;
  const auto index = static_cast<std::size_t>(job.index);
  return index < submission.parts.size() ? submission.parts[index] : none;
}

/// A name that no other job has: of this folder, host and instant.
std::string new_name(const fs::path& sweep) {
  const ClaimText here{
      .owner = this_process(),
      .taken = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count())};
  const std::string text = sweep.string() + here.line();
  return "schemamem-" + sha256_hex(std::as_bytes(std::span(text))).substr(0, kNameDigits);
}

bool lacks_evaluation(const SweepRuns& runs, std::size_t cell) {
  const std::vector<WantedEvaluation> wanted = wanted_evaluations(runs.cells()[cell]);
  return std::any_of(wanted.begin(), wanted.end(),
                     [&](const WantedEvaluation& one) { return !has_evaluation(runs.run(cell), one); });
}

/// What nobody has done, does, or has in the queue, by name.
std::vector<std::string> open_runs(const SweepRuns& runs, const Slurm::Places& places, bool evaluate,
                                   std::size_t& queued) {
  std::vector<std::string> open;
  queued = 0;
  for (std::size_t i = 0; i < runs.cells().size(); ++i) {
    const RunState state = runs.status(i).state;
    if (state == RunState::kFailed || (has_ended(state) && !(evaluate && lacks_evaluation(runs, i)))) continue;
    const std::string& name = runs.cells()[i].name;
    if (places.queued.contains(name)) {
      ++queued;
    } else if (state != RunState::kRunning) {
      open.push_back(name);
    }
  }
  return open;
}

/// Shares runs out to elements: `jobs` to each, more where an array may not have so many elements.
std::vector<std::vector<std::string>> share_out(const std::vector<std::string>& runs, int jobs, std::int64_t most) {
  const auto elements = static_cast<std::size_t>(std::max<std::int64_t>(1, most - 1));
  const std::size_t each =
      std::max<std::size_t>(static_cast<std::size_t>(jobs), (runs.size() + elements - 1) / elements);
  std::vector<std::vector<std::string>> parts;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i % each == 0) parts.emplace_back();
    parts.back().push_back(runs[i]);
  }
  return parts;
}

std::int64_t largest_array() {
  const auto config = ask("scontrol", {"show", "config"});
  return parse_array_size(config ? *config : "");
}

Result<fs::path> absolute_sweep(const fs::path& sweep) {
  std::error_code fault;
  fs::path path = fs::canonical(sweep, fault);
  if (fault) return file_error(ErrorKind::kMissingInput, "find", sweep, -fault.value());
  if (const Status fit = check_path(path, "the sweep"); !fit) return fit.error();
  return path;
}

void note_ended(const std::vector<SlurmSubmission>& submissions, const std::vector<SlurmJob>& jobs,
                Slurm::Places& places) {
  for (const SlurmSubmission& submission : submissions) {  // a later one overwrites what an earlier one had
    for (const SlurmJob& job : jobs) {
      if (submission.job != job.array) continue;
      for (const std::string& run : runs_of(submission, job)) places.ended[run] = job;
    }
  }
}

}  // namespace

Result<Slurm::Places> Slurm::queue(const std::vector<SlurmSubmission>& submissions) {
  Places places;
  if (submissions.empty()) return places;
  std::map<std::string, const SlurmSubmission*> by_name;
  for (const SlurmSubmission& submission : submissions) by_name[submission.name] = &submission;
  std::vector<std::string> names;
  for (const auto& [name, submission] : by_name) names.push_back(name);
  const auto text = ask("squeue", {"--array", "--noheader", fmt::format("--name={}", fmt::join(names, ",")),
                                   fmt::format("--format={}", kSqueueFormat)});
  if (!text) return text.error();
  const auto jobs = parse_squeue(*text);
  if (!jobs) return jobs.error();
  for (const SlurmJob& job : *jobs) {
    const auto found = by_name.find(job.name);
    if (found == by_name.end()) continue;
    places.arrays.insert(job.array);
    for (const std::string& run : runs_of(*found->second, job)) places.queued[run] = job;
  }
  return places;
}

Result<Slurm::Places> Slurm::look(const std::vector<SlurmSubmission>& submissions) {
  auto places = queue(submissions);
  if (!places) return places;
  std::vector<std::int64_t> numbers;
  for (const SlurmSubmission& submission : submissions)
    if (submission.job) numbers.push_back(*submission.job);
  if (numbers.empty()) return places;
  const auto accounts =
      ask("sacct", {"--noheader", "--parsable2", "--allocations", fmt::format("--jobs={}", fmt::join(numbers, ",")),
                    fmt::format("--format={}", kSacctColumns)});
  if (accounts) {
    const auto jobs = parse_sacct(*accounts);
    if (!jobs) return jobs.error();
    note_ended(submissions, *jobs, places.value());
    return places;
  }
  for (const std::int64_t number : numbers) {
    const auto text = ask("scontrol", {"--oneliner", "show", "job", std::to_string(number)});
    if (!text) continue;  // forgotten: Slurm keeps jobs for some minutes
    const auto jobs = parse_scontrol(*text);
    if (!jobs) return jobs.error();
    note_ended(submissions, *jobs, places.value());
  }
  return places;
}

Result<Slurm::Submitted> Slurm::submit(const SweepRuns& runs, const SweepPlan& plan, const Job& job) {
  if (const Status fit = check_request(job.request); !fit) return fit.error();
  if (const Status fit = check_path(job.program, "this program"); !fit) return fit.error();
  const auto sweep = absolute_sweep(runs.folder());
  if (!sweep) return sweep.error();
  if (const Status made = make_directories(*sweep / kSlurmFolder); !made) return made.error();
  const Result<FileLock> lock = FileLock::acquire(*sweep / kSlurmFolder / "lock");
  if (!lock) return lock.error();
  const auto claim = FolderClaim::take(*sweep / kSlurmFolder, {});
  if (!claim) return claim.error();
  const auto submissions = read_submissions(*sweep);
  if (!submissions) return submissions.error();
  const auto places = queue(*submissions);
  if (!places) return places.error();
  Submitted submitted;
  const std::vector<std::string> open = open_runs(runs, *places, job.evaluate, submitted.queued);
  if (open.empty()) return submitted;
  SlurmSubmission submission{.name = new_name(*sweep),
                             .jobs = job.request.jobs_per_node,
                             .threads = job.request.threads,
                             .evaluate = job.evaluate,
                             .parts = share_out(open, job.request.jobs_per_node, largest_array())};
  if (const Status written = write_submission(*sweep, plan, submission); !written) return written.error();
  const fs::path script = submission.folder / "job.sh";
  const Status written = write_file_atomically(script, job_script(job.request, submission.name, submission.parts.size(),
                                                                  job.program, job.isa, submission.folder));
  if (!written) return written.error();
  const auto answer = ask("sbatch", {"--parsable", script.string()});
  if (!answer) {
    std::error_code stays;
    if (const auto there = queue({submission}); there && there->arrays.empty())
      fs::remove_all(submission.folder, stays);
    return answer.error();
  }
  const auto number = parse_submitted(*answer);
  if (!number) return number.error();
  submission.job = *number;
  if (const Status noted = note_job(submission); !noted) return noted.error();
  submitted.job = *number;
  submitted.runs = open.size();
  submitted.parts = submission.parts.size();
  return submitted;
}

Result<std::optional<std::string>> Slurm::dry_run(const SweepRuns& runs, const Job& job) {
  if (const Status fit = check_request(job.request); !fit) return fit.error();
  if (const Status fit = check_path(job.program, "this program"); !fit) return fit.error();
  const auto sweep = absolute_sweep(runs.folder());
  if (!sweep) return sweep.error();
  const auto submissions = read_submissions(*sweep);
  if (!submissions) return submissions.error();
  const auto places = queue(*submissions);
  if (!places) return places.error();
  std::size_t queued = 0;
  const std::vector<std::string> open = open_runs(runs, *places, job.evaluate, queued);
  if (open.empty()) return std::optional<std::string>();
  const auto parts = share_out(open, job.request.jobs_per_node, largest_array());
  const auto next = next_submission(*sweep);
  if (!next) return next.error();
  return std::optional(job_script(job.request, new_name(*sweep), parts.size(), job.program, job.isa, *next));
}

Result<std::size_t> Slurm::cancel(const std::vector<SlurmSubmission>& submissions) {
  const auto places = queue(submissions);
  if (!places) return places.error();
  if (places->arrays.empty()) return std::size_t{0};
  std::vector<std::string> numbers;
  for (const std::int64_t array : places->arrays) numbers.push_back(std::to_string(array));
  if (const auto answer = ask("scancel", numbers); !answer) return answer.error();
  std::set<std::string> elements;
  for (const auto& [run, job] : places->queued) elements.insert(job.id());
  return elements.size();
}

}  // namespace schemamem
