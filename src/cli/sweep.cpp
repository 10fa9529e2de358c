#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/sweep_commands.h"
#include "cli/train_commands.h"

namespace schemamem {
namespace {

constexpr std::int64_t kMostJobs = 1024;

}  // namespace

nlohmann::ordered_json cell_json(const SweepCell& cell) {
  const RunRequest& request = cell.request;
  return {{"run", cell.name},
          {"model", request.model.text()},
          {"setting", request.task->setting()},
          {"seed", request.seed},
          {"recipe", request.recipe.name}};
}

void add_pool_options(CLI::App& command, Text& jobs, Text& threads) {
  command.add_option("--jobs", jobs, "Runs at once (as many as there are cores)")->type_name("N");
  command.add_option("--threads", threads, "Threads of each run (the cores, shared out)")->type_name("N");
}

Result<PoolOptions> read_pool(const Text& jobs_text, const Text& threads_text, std::size_t runs) {
  const auto threads = read_number(threads_text, "--threads", 0, 1, kMostJobs);
  if (!threads) return threads.error();
  const auto jobs = read_number(jobs_text, "--jobs", 0, 1, kMostJobs);
  if (!jobs) return jobs.error();
  return share_cores(static_cast<int>(*jobs), static_cast<int>(*threads), runs);
}

Result<OpenSweep> open_sweep(const Text& folder, std::string_view command) {
  if (!folder)
    return Error(ErrorKind::kUsage, fmt::format("`schemamem sweep {}` needs the folder of a sweep.", command));
  auto planned = read_sweep(*folder);
  if (!planned) return planned.error();
  SweepRuns runs(*folder, sweep_cells(*planned));
  runs.look();
  return OpenSweep{std::move(planned).value(), std::move(runs)};
}

void register_sweep(CLI::App& program, Commands& commands) {
  CLI::App& sweep = commands.add(program, "sweep", "Many runs: models x settings x seeds x recipes.",
                                 "schemamem sweep plan --settings grid --seeds 42-44 --out sweeps/grid\n"
                                 "schemamem sweep run sweeps/grid\n"
                                 "schemamem sweep status sweeps/grid");
  register_sweep_plan(sweep, commands);
  register_sweep_run(sweep, commands);
  register_sweep_status(sweep, commands);
  register_sweep_retry(sweep, commands);
  register_sweep_cancel(sweep, commands);
  register_sweep_part(sweep, commands);
}

}  // namespace schemamem
