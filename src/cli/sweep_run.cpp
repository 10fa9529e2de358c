#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/suggest.h"
#include "base/text.h"
#include "cli/progress_view.h"
#include "cli/signals.h"
#include "cli/sweep_commands.h"
#include "cli/sweep_view.h"
#include "system/own_place.h"

namespace schemamem {
namespace {

constexpr std::int64_t kMostJobs = 1024, kMostElements = 1'000'000, kLongestWarning = 3600;

struct RunOptionsText {
  Text folder, executor, jobs, threads;
  Text partition, time, jobs_per_node, array_limit, warning;  // of Slurm
  std::vector<std::string> sbatch;                            // of Slurm
  bool evaluate = false;
  bool dry_run = false;           // of Slurm
  std::vector<std::string> only;  // of `retry`
};

Status pool_run(SweepRuns& runs, const PoolOptions& options, Console& console) {
  const StopOnSignal signals;
  SweepView view(runs, console.err, Paint(console.paint_err), console.live);
  SweepPool pool(runs, options, view);
  view.watch(pool);
  const Status finished = pool.run(signals.flag());
  view.close();
  runs.look();
  if (const Status printed = print_status(runs, nullptr, console); !printed) return printed;
  if (!finished) return finished;
  StateCounts counts = runs.counts();
  if (counts[RunState::kStepLimit] == 0) return Done{};
  return Error(ErrorKind::kStepLimit, fmt::format("{} of {} runs ended at their step limit, short of their target. "
                                                  "They are kept and marked.",
                                                  counts[RunState::kStepLimit], runs.cells().size()));
}

Status run_here(OpenSweep& sweep, const RunOptionsText& given, Console& console) {
  const bool of_slurm = given.partition || given.time || given.jobs_per_node || given.array_limit || given.warning ||
                        !given.sbatch.empty() || given.dry_run;
  if (of_slurm) {
    return Error(ErrorKind::kUsage,
                 "--partition, --time, --jobs-per-node, --array-limit, --warning, --sbatch and --dry-run need "
                 "--executor slurm.");
  }
  SweepRuns& runs = sweep.runs;
  auto pool_options = read_pool(given.jobs, given.threads, given.evaluate ? runs.cells().size() : runs.missing());
  if (!pool_options) return pool_options.error();
  PoolOptions options = *pool_options;
  options.evaluate = given.evaluate;
  options.isa = console.isa;
  return pool_run(runs, options, console);
}

Result<Slurm::Job> read_job(const RunOptionsText& given, const Console& console) {
  if (given.jobs)
    return Error(ErrorKind::kUsage, "--jobs is for --executor local; with slurm say --jobs-per-node or --array-limit.");
  const auto jobs = read_number(given.jobs_per_node, "--jobs-per-node", 1, 1, kMostJobs);
  if (!jobs) return jobs.error();
  const auto threads = read_number(given.threads, "--threads", 1, 1, kMostJobs);
  if (!threads) return threads.error();
  const auto limit = read_number(given.array_limit, "--array-limit", 0, 1, kMostElements);
  if (!limit) return limit.error();
  const auto warning = read_number(given.warning, "--warning", 60, 1, kLongestWarning);
  if (!warning) return warning.error();
  const auto program = program_file();
  if (!program)
    return Error(ErrorKind::kFailed, "the system does not tell where this program lies; jobs need its path.");
  return Slurm::Job{.request = {.partition = given.partition.value_or(""),
                                .time = given.time.value_or(""),
                                .jobs_per_node = static_cast<int>(*jobs),
                                .threads = static_cast<int>(*threads),
                                .array_limit = *limit,
                                .warning = static_cast<int>(*warning),
                                .more = given.sbatch},
                    .evaluate = given.evaluate,
                    .isa = std::string(isa_name(console.isa)),
                    .program = *program};
}

Status run_in_slurm(OpenSweep& sweep, const RunOptionsText& given, Console& console) {
  const auto job = read_job(given, console);
  if (!job) return job.error();
  if (given.dry_run) {
    const auto script = Slurm::dry_run(sweep.runs, *job);
    if (!script) return script.error();
    return console.print(script->value_or("# Nothing is missing that Slurm does not have.\n"));
  }
  const auto done = Slurm::submit(sweep.runs, sweep.plan, *job);
  if (!done) return done.error();
  if (console.json) {
    const nlohmann::ordered_json json{{"sweep", sweep.runs.folder().string()},
                                      {"job", done->job},
                                      {"runs", done->runs},
                                      {"parts", done->parts},
                                      {"queued", done->queued}};
    return console.print(json.dump() + "\n");
  }
  const auto count = [](std::size_t number, const char* what) {
    return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
  };
  std::string text = done->job == 0 ? std::string("Nothing to submit")
                                    : fmt::format("Submitted job {}: {} in {}", done->job, count(done->runs, "run"),
                                                  count(done->parts, "element"));
  if (done->queued > 0) text += fmt::format("; Slurm has {} already", count(done->queued, "run"));
  return console.print(fmt::format("{}. `schemamem sweep status {}` tells how they stand.\n", text, *given.folder));
}

/// Who trains what is missing: a new one is a line here.
struct Executor {
  const char* name;
  Status (*run)(OpenSweep& sweep, const RunOptionsText& given, Console& console);
};
constexpr std::array kExecutors{Executor{"local", run_here}, Executor{"slurm", run_in_slurm}};

Status run_missing(OpenSweep& sweep, const RunOptionsText& given, Console& console) {
  const std::string wanted = given.executor.value_or(kExecutors.front().name);
  std::vector<std::string> names;
  for (const Executor& executor : kExecutors) {
    if (executor.name == wanted) return executor.run(sweep, given, console);
    names.emplace_back(executor.name);
  }
  return Error(ErrorKind::kUsage,
               fmt::format("--executor {}: expected local or slurm.{}", quote(wanted), did_you_mean(wanted, names)));
}

Status run(const RunOptionsText& given, Console& console) {
  auto sweep = open_sweep(given.folder, "run");
  if (!sweep) return sweep.error();
  return run_missing(sweep.value(), given, console);
}

Status retry(const RunOptionsText& given, Console& console) {
  auto sweep = open_sweep(given.folder, "retry");
  if (!sweep) return sweep.error();
  if (sweep->runs.forgive(given.only) == 0) {
    return Error(ErrorKind::kMissingInput, fmt::format("{} has no failed run{} to try again.", *given.folder,
                                                       given.only.empty() ? "" : " of that name"));
  }
  sweep.value().runs.look();
  return run_missing(sweep.value(), given, console);
}

Status cancel(const Text& folder, Console& console) {
  const auto sweep = open_sweep(folder, "cancel");
  if (!sweep) return sweep.error();
  const auto submissions = read_submissions(*folder);
  if (!submissions) return submissions.error();
  const auto cancelled = Slurm::cancel(*submissions);
  if (!cancelled) return cancelled.error();
  if (console.json) return console.print(fmt::format("{{\"cancelled\":{}}}\n", *cancelled));
  return console.print(*cancelled == 0
                           ? std::string("Nothing of this sweep waits or runs in Slurm.\n")
                           : fmt::format("Cancelled {} elements. What they had saved stays; `schemamem sweep run {}` "
                                         "goes on.\n",
                                         *cancelled, *folder));
}

Status part(const Text& folder, const Text& index, Console& console) {
  if (!folder || !index)
    return Error(ErrorKind::kUsage,
                 "`schemamem sweep part` needs the folder of a submission and the number of a part.");
  const auto number = read_number(index, "PART", 0, 0, kMostElements);
  if (!number) return number.error();
  std::error_code unknown;
  const auto submission = read_submission(std::filesystem::absolute(*folder, unknown));
  if (!submission) return submission.error();
  auto runs = part_runs(*submission, *number);
  if (!runs) return runs.error();
  PoolOptions options;
  options.jobs = submission->jobs;
  options.threads = submission->threads;
  options.evaluate = submission->evaluate;
  options.isa = console.isa;
  return pool_run(runs.value(), options, console);
}

void register_runner(CLI::App& command, Commands& commands, bool retries) {
  const auto options = std::make_shared<RunOptionsText>();
  command.add_option("DIR", options->folder, "Folder of the sweep");
  command.add_option("--executor", options->executor, "Who trains: local, on this host, or slurm (local)")
      ->type_name("NAME");
  add_pool_options(command, options->jobs, options->threads);
  command.add_flag("--evaluate", options->evaluate, "Evaluate every run that has ended, too");
  if (retries) {
    command.add_option("--only", options->only, "Only runs with this in their name; may be repeated")
        ->type_name("TEXT")
        ->allow_extra_args(false);
  }
  command.add_option("--partition", options->partition, "slurm: partition (the cluster's default)")->type_name("NAME");
  command
      .add_option("--time", options->time,
                  "slurm: time limit of an element (the partition's); it is saved and requeued")
      ->type_name("TIME");
  command.add_option("--jobs-per-node", options->jobs_per_node, "slurm: runs at once in an element (1)")
      ->type_name("N");
  command.add_option("--array-limit", options->array_limit, "slurm: elements at once (all)")->type_name("N");
  command.add_option("--warning", options->warning, "slurm: seconds before the time limit to save in (60)")
      ->type_name("N");
  command
      .add_option("--sbatch", options->sbatch, "slurm: another option of sbatch, as --sbatch=--mem=2G; may be repeated")
      ->type_name("OPTION")
      ->allow_extra_args(false);
  command.add_flag("--dry-run", options->dry_run, "slurm: print the job script and submit nothing");
  explain_progress(command);
  commands.on_until_stopped(command, [options, retries](Console& console) {
    return retries ? retry(*options, console) : run(*options, console);
  });
}

}  // namespace

void register_sweep_run(CLI::App& sweep, Commands& commands) {
  register_runner(commands.add(sweep, "run", "Train what is missing of a sweep; several may work in one folder.",
                               "schemamem sweep run sweeps/grid\n"
                               "schemamem sweep run sweeps/grid --jobs 2 --threads 1 --evaluate\n"
                               "schemamem sweep run sweeps/grid --executor slurm --partition cpu --time 4:00:00"),
                  commands, false);
}

void register_sweep_retry(CLI::App& sweep, Commands& commands) {
  register_runner(commands.add(sweep, "retry", "Try failed runs again, and train what is missing.",
                               "schemamem sweep retry sweeps/grid\n"
                               "schemamem sweep retry sweeps/grid --only gdn-A5V5"),
                  commands, true);
}

void register_sweep_cancel(CLI::App& sweep, Commands& commands) {
  const auto folder = std::make_shared<Text>();
  CLI::App& command = commands.add(sweep, "cancel", "Cancel what waits or runs of a sweep in Slurm.",
                                   "schemamem sweep cancel sweeps/grid");
  command.add_option("DIR", *folder, "Folder of the sweep");
  commands.on(command, [folder](Console& console) { return cancel(*folder, console); });
}

void register_sweep_part(CLI::App& sweep, Commands& commands) {
  const auto folder = std::make_shared<Text>(), index = std::make_shared<Text>();
  CLI::App& command = commands.add(sweep, "part", "Train one part of a submission: what a job of Slurm runs.",
                                   "schemamem sweep part sweeps/grid/slurm/1 0");
  command.add_option("DIR", *folder, "Folder of the submission");
  command.add_option("PART", *index, "Number of the part");
  explain_progress(command);
  commands.on_until_stopped(command, [folder, index](Console& console) { return part(*folder, *index, console); });
}

}  // namespace schemamem
