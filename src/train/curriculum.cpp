#include "train/curriculum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string>

#include "task/address_value.h"

namespace schemamem {
namespace {

constexpr std::array kSubsets{Scenario::kTransactionQuarter, Scenario::kTransactionHalf, Scenario::kTransactionFull};
constexpr std::array kSubsetNames{"quarter", "half", "full"};

std::vector<EpisodeCase> maintenance_cases(std::size_t stage) {
  const std::size_t delay = kStageDelays[stage];
  std::vector<EpisodeCase> cases{episode_case(Scenario::kImmediate), episode_case(Scenario::kRetention, delay)};
  if (stage > 0) {
    cases.push_back(episode_case(Scenario::kInterference, delay));
    cases.push_back(episode_case(Scenario::kOverwrite, delay));
  }
  return cases;
}

std::vector<Stage> paper_stages(const Recipe& recipe, const ModelTraits& model) {
  std::vector<Stage> stages;
  const auto transactions = [&](Phase phase, Mode mode, std::size_t i, double threshold) {
    stages.push_back({.name = std::string(phase_name(phase)) + "-" + kSubsetNames[i],
                      .phase = phase,
                      .index = i,
                      .checked = {episode_case(kSubsets[i])},
                      .checked_mode = mode,
                      .threshold = threshold,
                      .limit = recipe.transactions.limit});
  };
  const std::size_t count = kSubsets.size();
  for (std::size_t i = 0; model.full_history && i < count; ++i)
    transactions(Phase::kHistory, Mode::kFullHistory, i, recipe.transactions.history_thresholds.at(i));
  for (std::size_t i = 0; i < count; ++i)
    transactions(Phase::kTransactions, Mode::kRecurrent, i,
                 i + 1 < count ? recipe.transactions.thresholds.at(i) : model.final_target);
  for (std::size_t i = 0; i < std::size(kStageDelays); ++i) {
    stages.push_back(
        {.name = "maintenance-" + std::to_string(kStageDelays[i]),
         .phase = Phase::kMaintenance,
         .index = i,
         .checked = maintenance_cases(i),
         .threshold = i + 1 < std::size(kStageDelays) ? recipe.maintenance.thresholds.at(i) : model.final_target,
         .limit = recipe.maintenance.limit});
  }
  return stages;
}

std::vector<Stage> level_stages(const Recipe& recipe, const Task& task) {
  std::vector<Stage> stages;
  for (const std::vector<EpisodeCase>& cases : task.levels()) {
    stages.push_back({.name = "level-" + std::to_string(stages.size() + 1),
                      .phase = Phase::kLevels,
                      .of_levels = true,
                      .index = stages.size(),
                      .checked = cases,
                      .threshold = recipe.levels.threshold,
                      .limit = recipe.levels.limit});
  }
  require(!stages.empty(), "a task of levels has at least one");
  return stages;
}

}  // namespace

std::string_view phase_name(Phase phase) {
  switch (phase) {
    case Phase::kHistory:
      return "history";
    case Phase::kTransactions:
      return "transactions";
    case Phase::kMaintenance:
      return "maintenance";
    case Phase::kLevels:
      return "levels";
    case Phase::kLanes:
      return "lanes";
    case Phase::kCooldown:
      break;
  }
  return "cooldown";
}

std::vector<Stage> make_curriculum(const Recipe& recipe, const Task& task, const ModelTraits& model) {
  std::vector<Stage> stages =
      task.protocol() == Protocol::kPaper ? paper_stages(recipe, model) : level_stages(recipe, task);
  // As the last stage, for so many steps.
  const auto go_on = [&](Phase phase, std::int64_t steps) {
    Stage& stage = stages.emplace_back(Stage(stages.back()));
    stage.name = phase_name(phase);
    stage.phase = phase;
    stage.limit = steps;
    stage.fixed = true;
  };
  if (recipe.lanes.steps > 0) go_on(Phase::kLanes, recipe.lanes.steps);
  if (recipe.cooldown.steps > 0) go_on(Phase::kCooldown, recipe.cooldown.steps);
  return stages;
}

Curriculum::Curriculum(const Recipe& recipe, const Task& task, const ModelTraits& model)
    : recipe_(recipe), has_history_(model.full_history), stages_(make_curriculum(recipe, task, model)) {}

bool Curriculum::check_due(const Position& at) const {
  if (ended(at) || at.stage_step == 0 || at.checked_at == at.step) return false;
  const Stage& now = stage(at);
  if (now.phase == Phase::kCooldown) return at.stage_step == now.limit;
  return at.stage_step % recipe_.validation.every == 0 || at.stage_step == now.limit;
}

void Curriculum::after_step(Position& at) const {
  ++at.step;
  ++at.stage_step;
  ++at.phase_step;
}

void Curriculum::after_check(double lowest, Position& at) const {
  const Stage& now = stage(at);
  at.checked_at = at.step;
  if (now.phase == Phase::kCooldown) {
    at.fell_back = lowest < now.threshold;
    enter_next(at);
    return;
  }
  if (now.phase == Phase::kLanes) {
    if (at.stage_step < now.limit) return;
    at.gave_up = lowest < now.threshold;
    if (!at.gave_up) enter_next(at);
    return;
  }
  at.passes = lowest >= now.threshold ? at.passes + 1 : 0;
  if (at.passes >= recipe_.validation.passes) {
    enter_next(at);
  } else if (at.stage_step >= now.limit) {
    at.gave_up = true;
  }
}

void Curriculum::enter_next(Position& at) const {
  const Phase before = stage(at).phase;
  ++at.stage;
  at.stage_step = 0;
  at.passes = 0;
  if (at.stage < stages_.size() && stage(at).phase != before) at.phase_step = 0;
}

double Curriculum::rate(const Position& at) const {
  const Stage& now = stage(at);
  const bool transactions = now.phase == Phase::kHistory || now.phase == Phase::kTransactions;
  const bool lanes = now.phase == Phase::kLanes;
  const double peak = lanes           ? recipe_.lanes.rate
                      : now.of_levels ? recipe_.levels.rate
                      : transactions  ? recipe_.transactions.rate
                                      : recipe_.maintenance.rate;
  if (now.phase == Phase::kCooldown)
    return peak * std::pow(static_cast<double>(now.limit - at.stage_step) / static_cast<double>(now.limit),
                           recipe_.cooldown.power);
  if (const double left = lanes ? falling_left(at) : 1; left < 1) return peak * std::pow(left, recipe_.lanes.power);
  const std::int64_t warmup = lanes           ? recipe_.lanes.warmup
                              : now.of_levels ? recipe_.levels.warmup
                              : transactions  ? recipe_.transactions.warmup
                                              : recipe_.maintenance.warmup;
  if (at.phase_step >= warmup) return peak;
  return peak * static_cast<double>(at.phase_step + 1) / static_cast<double>(warmup);
}

double Curriculum::falling_left(const Position& at) const {
  const std::int64_t left = stage(at).limit - at.stage_step;
  return left < recipe_.lanes.falling ? static_cast<double>(left) / static_cast<double>(recipe_.lanes.falling) : 1;
}

Mode Curriculum::mode(const Position& at) const {
  const Phase phase = stage(at).phase;
  if (!has_history_ || phase == Phase::kLanes) return Mode::kRecurrent;
  if (phase == Phase::kHistory) return Mode::kFullHistory;
  const std::int64_t every = phase == Phase::kTransactions  ? recipe_.transactions.history_every
                             : phase == Phase::kMaintenance ? recipe_.maintenance.history_every
                             : stage(at).of_levels          ? recipe_.levels.history_every
                                                            : recipe_.cooldown.history_every;
  return every > 0 && at.phase_step % every == 0 ? Mode::kFullHistory : Mode::kRecurrent;
}

double Curriculum::stillness(const Position& at) const {
  const Stage& now = stage(at);
  if (mode(at) != Mode::kRecurrent) return 0;
  if (now.phase == Phase::kLanes) return recipe_.lanes.stillness * (1 - falling_left(at));
  if (now.of_levels) return recipe_.stillness.levels;
  if (now.phase == Phase::kMaintenance) return recipe_.stillness.weights.at(now.index);
  return now.phase == Phase::kCooldown ? recipe_.stillness.cooldown : 0;
}

bool Curriculum::renews_optimizer(const Position& at) const {
  return recipe_.optimizer.renew && at.phase_step == 0 && stage(at).phase != Phase::kCooldown;
}

}  // namespace schemamem
