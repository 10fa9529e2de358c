#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/progress_view.h"
#include "cli/signals.h"
#include "cli/sweep_view.h"
#include "cli/task_options.h"
#include "cli/train_commands.h"
#include "models/registry.h"
#include "sweep/cost.h"
#include "task/registry.h"

namespace schemamem {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMostJobs = 1024;

struct PlanOptions {
  Text models, task, settings, seeds, recipes, out, jobs, threads;
  std::vector<std::string> overrides;
  bool no_estimate = false;
};
struct RunOptionsText {
  Text folder, jobs, threads;
  bool evaluate = false;
  std::vector<std::string> only;  // of `retry`
};

/// Jobs and threads as they were given, else as the cores allow for so many runs.
Result<PoolOptions> read_pool(const Text& jobs_text, const Text& threads_text, std::size_t runs) {
  const auto threads = read_number(threads_text, "--threads", 0, 1, kMostJobs);
  if (!threads) return threads.error();
  const auto jobs = read_number(jobs_text, "--jobs", 0, 1, kMostJobs);
  if (!jobs) return jobs.error();
  return share_cores(static_cast<int>(*jobs), static_cast<int>(*threads), runs);
}

std::string_view source_text(ExpectedSteps::Source source) {
  switch (source) {
    case ExpectedSteps::Source::kSameCell:
      return "finished runs";
    case ExpectedSteps::Source::kSameModel:
      return "finished runs of other settings";
    case ExpectedSteps::Source::kTable:
      break;
  }
  return "table";
}

Result<std::vector<std::shared_ptr<const Task>>> read_tasks(const PlanOptions& given) {
  const TaskEntry first = task_entries().front();
  const std::string task = given.task.value_or(std::string(first.name));
  if (given.settings) return parse_tasks(task, *given.settings);
  if (task == first.name) return parse_tasks(task, "grid");
  const std::vector<TaskEntry> known = task_entries();
  if (std::none_of(known.begin(), known.end(), [&](const TaskEntry& entry) { return entry.name == task; }))
    return make_task(task, "").error();
  return Error(ErrorKind::kUsage, fmt::format("--settings is missing: which of the task {}?", printable(task)));
}

Result<SweepPlan> read_plan(const PlanOptions& given) {
  SweepPlan plan;
  const auto models = parse_models(given.models.value_or(fmt::format("{}", fmt::join(model_names(), ","))));
  if (!models) return models.error();
  plan.models = *models;
  const auto tasks = read_tasks(given);
  if (!tasks) return tasks.error();
  plan.tasks = *tasks;
  const auto seeds = parse_seeds(given.seeds.value_or("42-44"));
  if (!seeds) return seeds.error();
  plan.seeds = *seeds;
  auto recipes = parse_recipes(given.recipes.value_or("fast"), given.overrides);
  if (!recipes) return recipes.error();
  plan.recipes = std::move(recipes).value();
  return plan;
}

Json cell_json(const SweepCell& cell) {
  const RunRequest& request = cell.request;
  return {{"run", cell.name},
          {"model", request.model.text()},
          {"setting", request.task->setting()},
          {"seed", request.seed},
          {"recipe", request.recipe.name}};
}

std::string estimate_text(const std::vector<SweepKind>& kinds, const PoolOptions& pool, const SweepCost& all) {
  std::string text =
      fmt::format("{:<34} {:>5} {:>9} {:>9} {:>10}  steps from\n", "runs", "seeds", "steps", "a run", "together");
  for (const SweepKind& kind : kinds) {
    const RunRequest& request = kind.cells.front().request;
    const auto count = static_cast<double>(kind.cells.size());
    text += fmt::format("{:<34} {:>5} {:>9.0f} {:>9} {:>10}  {}\n",
                        fmt::format("{} {} {}", request.recipe.name, request.model.text(), request.task->setting()),
                        kind.cells.size(), kind.cost.steps, clock_text(kind.cost.seconds),
                        clock_text(count * kind.cost.seconds), source_text(kind.cost.source));
  }
  return text + fmt::format(
                    "Estimate for this machine: {} of training, about {} on the wall with {} at once, {} "
                    "thread{} each.\n",
                    clock_text(all.seconds), clock_text(all.wall_seconds), pool.jobs, pool.threads,
                    pool.threads == 1 ? "" : "s");
}

Status plan(const PlanOptions& given, Console& console) {
  if (!given.out) return Error(ErrorKind::kUsage, "--out is missing: the folder of the sweep, such as sweeps/grid.");
  const auto planned = read_plan(given);
  if (!planned) return planned.error();
  const std::filesystem::path folder(*given.out);
  const std::vector<SweepCell> cells = sweep_cells(*planned);
  auto pool = read_pool(given.jobs, given.threads, cells.size());
  if (!pool) return pool.error();
  const std::vector<FinishedRun> finished = finished_runs(folder, cells);
  std::vector<SweepKind> kinds = sweep_kinds(cells);
  SweepCost all;
  if (!given.no_estimate) {
    const auto estimated = estimate_sweep(kinds, finished, pool->jobs, pool->threads, console.isa, [&](std::size_t i) {
      if (console.live) console.err << fmt::format("\r\x1b[Kmeasuring {} of {}", i + 1, kinds.size()) << std::flush;
    });
    if (!estimated) return estimated.error();
    all = *estimated;
    if (console.live) console.err << "\r\x1b[K" << std::flush;
  }
  if (console.json) {
    Json json{{"sweep", folder.string()}, {"cells", Json::array()}};
    for (const SweepKind& kind : kinds) {
      for (const SweepCell& cell : kind.cells) {
        Json one = cell_json(cell);
        if (!given.no_estimate) {
          one["expected_steps"] = kind.cost.steps;
          one["expected_seconds"] = kind.cost.seconds;
          one["steps_from"] = source_text(kind.cost.source);
        }
        json["cells"].push_back(std::move(one));
      }
    }
    if (!given.no_estimate) {
      json["expected_seconds"] = all.seconds;
      json["expected_wall_seconds"] = all.wall_seconds;
    }
    if (const Status printed = console.print(json.dump(-1, ' ', true) + "\n"); !printed) return printed;
  } else {
    std::string text = fmt::format("{} runs\n", cells.size());
    for (const SweepCell& cell : cells) text += "  " + cell.name + "\n";
    if (!given.no_estimate) text += estimate_text(kinds, *pool, all);
    if (const Status printed = console.print(text); !printed) return printed;
  }
  if (const Status written = write_sweep(folder, *planned); !written) return written;
  if (console.json) return Done{};
  return console.print(fmt::format("The plan is {}. `schemamem sweep run {}` trains what is missing.\n",
                                   (folder / kSweepFile).string(), folder.string()));
}

Result<SweepRuns> open_sweep(const Text& folder, std::string_view command) {
  if (!folder)
    return Error(ErrorKind::kUsage, fmt::format("`schemamem sweep {}` needs the folder of a sweep.", command));
  const auto planned = read_sweep(*folder);
  if (!planned) return planned.error();
  SweepRuns runs(*folder, sweep_cells(*planned));
  runs.look();
  return runs;
}

Status print_status(const SweepRuns& runs, Console& console) {
  if (console.json) {
    Json cells = Json::array();
    for (std::size_t i = 0; i < runs.cells().size(); ++i) {
      Json one = cell_json(runs.cells()[i]);
      one.update(status_json(runs.status(i)));
      cells.push_back(std::move(one));
    }
    const Json json{{"sweep", runs.folder().string()}, {"cells", cells}, {"counts", counts_json(runs.counts())}};
    return console.print(json.dump(-1, ' ', true) + "\n");
  }
  std::string text = sweep_mosaic(runs, console.paint);
  for (std::size_t i = 0; i < runs.cells().size(); ++i) {
    if (runs.status(i).state == RunState::kFailed)
      text += fmt::format("{} {}: {}\n", console.paint.red("failed"), runs.cells()[i].name,
                          escaped(runs.status(i).message));
  }
  return console.print(text + counts_text(runs.counts()) + "\n");
}

Status status(const Text& folder, Console& console) {
  const auto runs = open_sweep(folder, "status");
  if (!runs) return runs.error();
  return print_status(*runs, console);
}

Status run_missing(SweepRuns& runs, const RunOptionsText& given, Console& console) {
  auto pool_options = read_pool(given.jobs, given.threads, given.evaluate ? runs.cells().size() : runs.missing());
  if (!pool_options) return pool_options.error();
  PoolOptions options = *pool_options;
  options.evaluate = given.evaluate;
  options.isa = console.isa;
  const StopOnSignal signals;
  SweepView view(runs, console.err, Paint(console.paint_err), console.live);
  SweepPool pool(runs, options, view);
  view.watch(pool);
  const Status finished = pool.run(signals.flag());
  view.close();
  runs.look();
  if (const Status printed = print_status(runs, console); !printed) return printed;
  if (!finished) return finished;
  StateCounts counts = runs.counts();
  if (counts[RunState::kStepLimit] == 0) return Done{};
  return Error(ErrorKind::kStepLimit, fmt::format("{} of {} runs ended at their step limit, short of their target. "
                                                  "They are kept and marked.",
                                                  counts[RunState::kStepLimit], runs.cells().size()));
}

Status run(const RunOptionsText& given, Console& console) {
  auto runs = open_sweep(given.folder, "run");
  if (!runs) return runs.error();
  return run_missing(runs.value(), given, console);
}

Status retry(const RunOptionsText& given, Console& console) {
  auto runs = open_sweep(given.folder, "retry");
  if (!runs) return runs.error();
  if (runs->forgive(given.only) == 0) {
    return Error(ErrorKind::kMissingInput, fmt::format("{} has no failed run{} to try again.", *given.folder,
                                                       given.only.empty() ? "" : " of that name"));
  }
  return run_missing(runs.value(), given, console);
}

void add_pool_options(CLI::App& command, Text& jobs, Text& threads) {
  command.add_option("--jobs", jobs, "Runs at once (as many as there are cores)")->type_name("N");
  command.add_option("--threads", threads, "Threads of each run (the cores, shared out)")->type_name("N");
}

void register_plan(CLI::App& sweep, Commands& commands) {
  const auto options = std::make_shared<PlanOptions>();
  CLI::App& command = commands.add(
      sweep, "plan", "Write the plan of a sweep, with an estimate of what it costs on this machine.",
      "schemamem sweep plan --models schemamem,gdn --settings A3V3,A4V4 --seeds 42-44 --out sweeps/two\n"
      "schemamem sweep plan --settings grid --recipes fast --out sweeps/grid\n"
      "schemamem sweep plan --settings A3-5V3 --recipes fast,steady --set cooldown.steps=1000 --out sweeps/x");
  command
      .add_option("--models", options->models,
                  "Models, with commas; sizes may follow, as in " + model_names().front() + ":slots=64 (all)")
      ->type_name("LIST");
  command.add_option("--task", options->task, "The task (address-value)")->type_name("NAME");
  command.add_option("--settings", options->settings, "A3V3,A4V5 or A3-5V3-5 or grid, the paper's nine (grid)")
      ->type_name("LIST");
  command.add_option("--seeds", options->seeds, "42 or 42-44 or 42,50 (42-44)")->type_name("LIST");
  command.add_option("--recipes", options->recipes, "Recipes, with commas (fast)")->type_name("LIST");
  command.add_option("--set", options->overrides, "Override a field of every recipe; may be repeated")
      ->type_name("FIELD=VALUE")
      ->allow_extra_args(false);
  command.add_option("--out", options->out, "Folder of the sweep")->type_name("DIR");
  command.add_flag("--no-estimate", options->no_estimate, "Do not measure what it costs");
  add_pool_options(command, options->jobs, options->threads);
  commands.on(command, [options](Console& console) { return plan(*options, console); });
}

void register_run(CLI::App& sweep, Commands& commands, bool retries) {
  const auto options = std::make_shared<RunOptionsText>();
  CLI::App& command =
      retries ? commands.add(sweep, "retry", "Try failed runs again, and train what is missing.",
                             "schemamem sweep retry sweeps/grid\n"
                             "schemamem sweep retry sweeps/grid --only gdn-A5V5")
              : commands.add(sweep, "run", "Train what is missing of a sweep; several may work in one folder.",
                             "schemamem sweep run sweeps/grid\n"
                             "schemamem sweep run sweeps/grid --jobs 2 --threads 1 --evaluate");
  command.add_option("DIR", options->folder, "Folder of the sweep");
  add_pool_options(command, options->jobs, options->threads);
  command.add_flag("--evaluate", options->evaluate, "Evaluate every run that has ended, too");
  if (retries) {
    command.add_option("--only", options->only, "Only runs with this in their name; may be repeated")
        ->type_name("TEXT")
        ->allow_extra_args(false);
  }
  explain_progress(command);
  commands.on_until_stopped(command, [options, retries](Console& console) {
    return retries ? retry(*options, console) : run(*options, console);
  });
}

void register_status(CLI::App& sweep, Commands& commands) {
  const auto folder = std::make_shared<Text>();
  CLI::App& command = commands.add(sweep, "status", "How every run of a sweep stands.",
                                   "schemamem sweep status sweeps/grid\n"
                                   "schemamem sweep status sweeps/grid --json");
  command.add_option("DIR", *folder, "Folder of the sweep");
  commands.on(command, [folder](Console& console) { return status(*folder, console); });
}

}  // namespace

void register_sweep(CLI::App& program, Commands& commands) {
  CLI::App& sweep = commands.add(program, "sweep", "Many runs: models x settings x seeds x recipes.",
                                 "schemamem sweep plan --settings grid --seeds 42-44 --out sweeps/grid\n"
                                 "schemamem sweep run sweeps/grid\n"
                                 "schemamem sweep status sweeps/grid");
  register_plan(sweep, commands);
  register_run(sweep, commands, false);
  register_status(sweep, commands);
  register_run(sweep, commands, true);
}

}  // namespace schemamem
