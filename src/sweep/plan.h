#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "train/run.h"

namespace schemamem {

/// The plan of a sweep, in its folder.
inline constexpr const char* kSweepFile = "sweep.toml";

/// A recipe of a plan: its values, overrides included, and where they came from.
struct SweepRecipe {
  std::string source;  // the name of a recipe of configs/, or the path of a .toml file
  ResolvedRecipe resolved;
};

/// Every model × setting × seed × recipe is one run.
struct SweepPlan {
  std::vector<ModelChoice> models;
  std::vector<std::shared_ptr<const Task>> tasks;  // the settings of one task
  std::vector<std::uint64_t> seeds;
  std::vector<SweepRecipe> recipes;
};

/// One run of a plan, in the folder `name` of the sweep's. The name holds the hash of everything that decides the
/// result, so that a plan may change without a run being taken for another.
struct SweepCell {
  RunRequest request;
  std::string source;  // of its recipe
  std::string name;
};

/// Settings of a task, with commas between them; of the address-value task also "A3-5V3-5" and "grid" (the paper's
/// nine).
Result<std::vector<std::shared_ptr<const Task>>> parse_tasks(std::string_view task, std::string_view settings);
/// "42", "42-44", "42-44,50"
Result<std::vector<std::uint64_t>> parse_seeds(std::string_view text);
/// Models as ModelChoice spells them, with commas between them.
Result<std::vector<ModelChoice>> parse_models(std::string_view text);
/// Names or paths of recipes; `overrides` are applied to each.
Result<std::vector<SweepRecipe>> parse_recipes(std::string_view text, const std::vector<std::string>& overrides);

/// The lists of a plan, as they are typed; its tasks are given.
struct PlanLists {
  std::string models, seeds, recipes;
  std::vector<std::string> overrides;
};
Result<SweepPlan> parse_plan(const PlanLists& lists, std::vector<std::shared_ptr<const Task>> tasks);

/// The text of sweep.toml (docs/formats.md, "Sweeps"): a function of the plan alone, with every value of every recipe.
std::string sweep_toml(const SweepPlan& plan);
/// The way back; `file` names the text in messages.
Result<SweepPlan> parse_sweep(std::string_view text, const std::string& file);

/// Reads <folder>/sweep.toml.
Result<SweepPlan> read_sweep(const std::filesystem::path& folder);
/// Writes it. The same plan may be there already; another one is never overwritten.
Status write_sweep(const std::filesystem::path& folder, const SweepPlan& plan);

/// By recipe, model, setting and seed, in the order of the plan's lists.
std::vector<SweepCell> sweep_cells(const SweepPlan& plan);

/// What to say to `schemamem` to train a cell: `train --model ... --out ...`. Values in which the plan differs from
/// what its recipe says today are spelled out, so that the run is the planned one whatever became of the recipe.
Result<std::vector<std::string>> train_arguments(const SweepCell& cell, const std::filesystem::path& folder,
                                                 int threads);

}  // namespace schemamem
