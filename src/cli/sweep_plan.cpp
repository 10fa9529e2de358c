#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/progress_view.h"
#include "cli/sweep_commands.h"
#include "cli/task_options.h"
#include "models/registry.h"
#include "sweep/cost.h"
#include "task/registry.h"

namespace schemamem {
namespace {

using Json = nlohmann::ordered_json;

struct PlanOptions {
  Text models, task, settings, seeds, recipes, out, jobs, threads;
  std::vector<std::string> overrides;
  bool no_estimate = false;
};
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
  auto tasks = read_tasks(given);
  if (!tasks) return tasks.error();
  return parse_plan({.models = given.models.value_or(fmt::format("{}", fmt::join(model_names(), ","))),
                     .seeds = given.seeds.value_or("42-44"),
                     .recipes = given.recipes.value_or("fast"),
                     .overrides = given.overrides},
                    std::move(tasks).value());
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

}  // namespace

void register_sweep_plan(CLI::App& sweep, Commands& commands) {
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

}  // namespace schemamem
