#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernels/isa.h"
#include "sweep/plan.h"
#include "sweep/stage_timing.h"

namespace schemamem {

/// How many steps a run takes in each stage of its curriculum, and how that is known.
struct ExpectedSteps {
  enum class Source { kSameCell, kSameModel, kTable };
  std::vector<double> by_stage;
  Source source = Source::kTable;

  double total() const;
};

/// What finished runs of a folder took.
struct FinishedRun {
  std::string model, setting, recipe;
  std::vector<PassedStage> passed;
  std::int64_t steps = 0;
};
std::vector<FinishedRun> finished_runs(const std::filesystem::path& folder, std::span<const SweepCell> cells);

/// The mean of finished runs of the same model, recipe and setting; else of the same model and recipe; else the table
/// of docs/formats.md ("Sweeps"). Never less than the checks that a stage needs, nor more than its limit.
ExpectedSteps expected_steps(const RunRequest& request, std::span<const FinishedRun> finished);

/// Tokens that all checks of a stage read when it takes so many steps; a check costs the forward share of a step.
double all_check_tokens(const RunRequest& request, const Stage& stage, double steps);
inline constexpr double kForwardShare = 1.0 / 3;

/// Seconds that a run is expected to take on this machine when it does nothing else: real training steps of the stages,
/// timed, times the expected steps; checks are counted by their tokens, forward only.
struct CostEstimate {
  double seconds = 0;
  double steps = 0;
  ExpectedSteps::Source source = ExpectedSteps::Source::kTable;
};
Result<CostEstimate> estimate_cost(const RunRequest& request, std::span<const FinishedRun> finished, int threads,
                                   Isa isa = best_isa(), int repeats = 3);

/// Runs of a plan that differ in nothing but their seeds, and what one of them costs.
struct SweepKind {
  std::span<const SweepCell> cells;
  CostEstimate cost{};
};
/// The kinds of a plan's cells, in their order, not estimated yet.
std::vector<SweepKind> sweep_kinds(std::span<const SweepCell> cells);

/// What a whole sweep costs with so many runs at once.
struct SweepCost {
  double seconds = 0;       // of training
  double wall_seconds = 0;  // about
};
/// Estimates every kind; `measuring` is told which one is next, because each takes seconds.
Result<SweepCost> estimate_sweep(std::span<SweepKind> kinds, std::span<const FinishedRun> finished, int jobs,
                                 int threads, Isa isa, const std::function<void(std::size_t)>& measuring);

/// Work of one step of each stage, in flops of matrix products.
Result<std::vector<double>> step_work(const RunRequest& request);
/// Work of a run in flops of matrix products: what orders a pool's queue, without measuring anything.
Result<double> expected_work(const RunRequest& request, std::span<const FinishedRun> finished);

}  // namespace schemamem
