#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "cli/progress_view.h"
#include "cli/signals.h"
#include "cli/sweep_pool.h"
#include "cli/sweep_view.h"
#include "cli/task_options.h"
#include "cli/train_commands.h"
#include "train/sweep.h"
#include "train/sweep_cost.h"

namespace schemamem {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMostJobs = 1024;

struct PlanOptions {
  Text models, settings, seeds, recipes, out, jobs, threads;
  std::vector<std::string> overrides;
  bool no_estimate = false;
};
struct RunOptionsText {
  Text folder, jobs, threads;
  bool evaluate = false;
  std::vector<std::string> only;  // of `retry`
};

/// How the cores are shared out: `missing` runs, as many at once as there are cores, the cores divided among them.
Result<PoolOptions> read_pool(const Text& jobs_text, const Text& threads_text, std::size_t missing) {
  const std::int64_t cores = std::max<std::int64_t>(1, std::thread::hardware_concurrency());
  const auto threads = read_number(threads_text, "--threads", 0, 1, kMostJobs);
  if (!threads) return threads.error();
  const std::int64_t fitting = std::max<std::int64_t>(1, cores / std::max<std::int64_t>(1, *threads));
  const std::int64_t wanted = std::max<std::int64_t>(1, std::min(fitting, static_cast<std::int64_t>(missing)));
  const auto jobs = read_number(jobs_text, "--jobs", wanted, 1, kMostJobs);
  if (!jobs) return jobs.error();
  PoolOptions pool;
  pool.jobs = static_cast<int>(*jobs);
  pool.threads = static_cast<int>(*threads > 0 ? *threads : std::max<std::int64_t>(1, cores / *jobs));
  return pool;
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

/// One kind of run: everything but the seed.
struct Kind {
  const SweepCell* first;  // the others follow it
  std::vector<std::uint64_t> seeds;
  CostEstimate cost;
};

std::vector<Kind> kinds_of(const std::vector<SweepCell>& cells) {
  std::vector<Kind> kinds;
  for (const SweepCell& cell : cells) {
    const auto same = [&](const Kind& kind) {
      const RunRequest &a = kind.first->request, &b = cell.request;
      return a.model == b.model && a.setting == b.setting && a.recipe.name == b.recipe.name;
    };
    if (kinds.empty() || !same(kinds.back())) kinds.push_back({.first = &cell, .seeds = {}, .cost = {}});
    kinds.back().seeds.push_back(cell.request.seed);
  }
  return kinds;
}

Result<SweepPlan> read_plan(const PlanOptions& given) {
  SweepPlan plan;
  const auto models = parse_models(given.models.value_or("schemamem,mamba3,gdn"));
  if (!models) return models.error();
  plan.models = *models;
  const auto settings = parse_settings(given.settings.value_or("grid"));
  if (!settings) return settings.error();
  plan.settings = *settings;
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
          {"model", request.model},
          {"setting", request.setting.name()},
          {"seed", request.seed},
          {"recipe", request.recipe.name}};
}

std::string estimate_text(const std::vector<Kind>& kinds, const PoolOptions& pool, double seconds, double wall) {
  std::string text =
      fmt::format("{:<34} {:>5} {:>9} {:>9} {:>10}  steps from\n", "runs", "seeds", "steps", "a run", "together");
  for (const Kind& kind : kinds) {
    const RunRequest& request = kind.first->request;
    const auto count = static_cast<double>(kind.seeds.size());
    text += fmt::format("{:<34} {:>5} {:>9.0f} {:>9} {:>10}  {}\n",
                        fmt::format("{} {} {}", request.recipe.name, request.model, request.setting.name()),
                        kind.seeds.size(), kind.cost.steps, clock_text(kind.cost.seconds),
                        clock_text(count * kind.cost.seconds), source_text(kind.cost.source));
  }
  return text + fmt::format(
                    "Estimate for this machine: {} of training, about {} on the wall with {} at once, {} "
                    "thread{} each.\n",
                    clock_text(seconds), clock_text(wall), pool.jobs, pool.threads, pool.threads == 1 ? "" : "s");
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
  std::vector<Kind> kinds = kinds_of(cells);
  double seconds = 0, longest = 0;
  for (std::size_t i = 0; i < kinds.size() && !given.no_estimate; ++i) {
    Kind& kind = kinds[i];
    if (console.live) console.err << fmt::format("\r\x1b[Kmeasuring {} of {}", i + 1, kinds.size()) << std::flush;
    const auto cost = estimate_cost(kind.first->request, finished, pool->threads, console.isa);
    if (!cost) return cost.error();
    kind.cost = *cost;
    seconds += kind.cost.seconds * static_cast<double>(kind.seeds.size());
    longest = std::max(longest, kind.cost.seconds);
  }
  if (console.live && !given.no_estimate) console.err << "\r\x1b[K" << std::flush;
  const double wall = std::max(longest, seconds / pool->jobs);
  if (console.json) {
    Json json{{"sweep", folder.string()}, {"cells", Json::array()}};
    for (const Kind& kind : kinds) {
      for (std::size_t i = 0; i < kind.seeds.size(); ++i) {
        Json one = cell_json(kind.first[i]);
        if (!given.no_estimate) {
          one["expected_steps"] = kind.cost.steps;
          one["expected_seconds"] = kind.cost.seconds;
          one["steps_from"] = source_text(kind.cost.source);
        }
        json["cells"].push_back(std::move(one));
      }
    }
    if (!given.no_estimate) {
      json["expected_seconds"] = seconds;
      json["expected_wall_seconds"] = wall;
    }
    if (const Status printed = console.print(json.dump() + "\n"); !printed) return printed;
  } else {
    std::string text = fmt::format("{} runs\n", cells.size());
    for (const SweepCell& cell : cells) text += "  " + cell.name + "\n";
    if (!given.no_estimate) text += estimate_text(kinds, *pool, seconds, wall);
    if (const Status printed = console.print(text); !printed) return printed;
  }
  if (const Status written = write_sweep(folder, *planned); !written) return written;
  if (console.json) return Done{};
  return console.print(fmt::format("The plan is {}. `schemamem sweep run {}` trains what is missing.\n",
                                   (folder / "sweep.toml").string(), folder.string()));
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
    return console.print(json.dump() + "\n");
  }
  std::string text = sweep_mosaic(runs, console.paint);
  for (std::size_t i = 0; i < runs.cells().size(); ++i) {
    if (runs.status(i).state == RunState::kFailed)
      text += fmt::format("{} {}: {}\n", console.paint.red("failed"), runs.cells()[i].name, runs.status(i).message);
  }
  return console.print(text + counts_text(runs.counts()) + "\n");
}

Status status(const Text& folder, Console& console) {
  const auto runs = open_sweep(folder, "status");
  if (!runs) return runs.error();
  return print_status(*runs, console);
}

Status run_missing(SweepRuns& runs, const RunOptionsText& given, Console& console) {
  const StateCounts before = runs.counts();
  std::size_t missing = 0;
  for (const RunState state : {RunState::kWaiting, RunState::kStopped}) {
    if (const auto found = before.find(state); found != before.end()) missing += found->second;
  }
  auto pool_options = read_pool(given.jobs, given.threads, given.evaluate ? runs.cells().size() : missing);
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
  StateCounts after = runs.counts();
  if (const std::size_t failed = after[RunState::kFailed]; failed > 0)
    return Error(ErrorKind::kFailed, fmt::format("{} of {} runs failed. Each has its train.log; `schemamem sweep retry "
                                                 "{}` tries them again.",
                                                 failed, runs.cells().size(), runs.folder().string()));
  if (const std::size_t open = after[RunState::kStopped] + after[RunState::kWaiting]; open > 0)
    return Error(ErrorKind::kInterrupted,
                 fmt::format("{} of {} runs were stopped again and again. `schemamem sweep run {}` goes on.", open,
                             runs.cells().size(), runs.folder().string()));
  if (pool.evaluations_failed() > 0)
    return Error(ErrorKind::kFailed, fmt::format("{} evaluations failed. Each run has its evaluate.log; the same "
                                                 "command tries them again.",
                                                 pool.evaluations_failed()));
  return Done{};
}

Status run(const RunOptionsText& given, Console& console) {
  auto runs = open_sweep(given.folder, "run");
  if (!runs) return runs.error();
  return run_missing(runs.value(), given, console);
}

Status retry(const RunOptionsText& given, Console& console) {
  auto runs = open_sweep(given.folder, "retry");
  if (!runs) return runs.error();
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < runs->cells().size(); ++i) {
    const std::string& name = runs->cells()[i].name;
    const bool wanted = given.only.empty() || std::any_of(given.only.begin(), given.only.end(), [&](const auto& text) {
                          return name.find(text) != std::string::npos;
                        });
    if (wanted && runs->status(i).state == RunState::kFailed && unmark_failed(runs->run(i))) ++chosen;
  }
  if (chosen == 0) {
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
  command.add_option("--models", options->models, "Models, with commas (all three)")->type_name("LIST");
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
