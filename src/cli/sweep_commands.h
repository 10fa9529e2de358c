#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "cli/commands.h"
#include "cli/task_options.h"
#include "sweep/pool.h"
#include "sweep/runs.h"
#include "sweep/slurm.h"

// What the commands of a sweep share. Each part of `schemamem sweep` registers itself.

namespace schemamem {

void register_sweep_plan(CLI::App& sweep, Commands& commands);
void register_sweep_run(CLI::App& sweep, Commands& commands);
void register_sweep_status(CLI::App& sweep, Commands& commands);
void register_sweep_retry(CLI::App& sweep, Commands& commands);
void register_sweep_cancel(CLI::App& sweep, Commands& commands);
void register_sweep_part(CLI::App& sweep, Commands& commands);

/// The sweep of a folder, as it stands; `command` is the one that needs it.
struct OpenSweep {
  SweepPlan plan;
  SweepRuns runs;
};
Result<OpenSweep> open_sweep(const Text& folder, std::string_view command);

/// Every run and how it stands. `slurm`: where those are that were handed to Slurm, or why that is not known; null if
/// none was.
Status print_status(const SweepRuns& runs, const Result<Slurm::Places>* slurm, Console& console);

nlohmann::ordered_json cell_json(const SweepCell& cell);

void add_pool_options(CLI::App& command, Text& jobs, Text& threads);
/// Jobs and threads as they were given, else as the cores allow for so many runs.
Result<PoolOptions> read_pool(const Text& jobs_text, const Text& threads_text, std::size_t runs);

}  // namespace schemamem
