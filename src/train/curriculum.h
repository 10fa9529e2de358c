#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/model.h"
#include "task/task.h"
#include "train/recipe.h"

namespace schemamem {

enum class Phase { kHistory, kTransactions, kMaintenance, kLevels, kLanes, kCooldown };
std::string_view phase_name(Phase phase);

/// The delays of the maintenance stages; no training episode has a longer one.
inline constexpr std::size_t kStageDelays[] = {96, 192, 384};

/// One stage of the curriculum: what is trained, what is checked, what ends it.
struct Stage {
  std::string name;  // "transactions-half", "maintenance-192"
  Phase phase = Phase::kTransactions;
  bool of_levels = false;            // of a task that has levels
  std::size_t index = 0;             // within its phase
  std::vector<EpisodeCase> checked;  // the cases of a check
  Mode checked_mode = Mode::kRecurrent;
  double threshold = 100;  // %; a check passes when its lowest group has at least this
  std::int64_t limit = 0;  // steps after which a stage gives up
  bool fixed = false;      // takes exactly so many steps: carried states, the cool-down
};

/// The stages in order. The paper's curriculum starts with full-history transactions for a model that knows them; its
/// last transactions and its last maintenance end at the model's final target, which no recipe changes. A task of
/// levels has a stage for each. Carried states come behind them. The cool-down, if the recipe has one, is the last.
std::vector<Stage> make_curriculum(const Recipe& recipe, const Task& task, const ModelTraits& model);

/// Where a run stands. Plain numbers: saved with every checkpoint.
struct Position {
  std::int64_t step = 0;        // optimiser steps done
  std::size_t stage = 0;        // == number of stages: the curriculum is done
  std::int64_t stage_step = 0;  // steps done in this stage
  std::int64_t phase_step = 0;  // steps done in this phase
  std::int64_t passes = 0;      // consecutive checks at or above the threshold
  std::int64_t checked_at = 0;  // the step of the last check
  bool gave_up = false;         // a stage reached its limit
  bool fell_back = false;       // the cool-down ended below its threshold: the weights from before it are the result

  friend bool operator==(const Position&, const Position&) = default;
};

/// The rules by which a position moves.
class Curriculum {
 public:
  Curriculum(const Recipe& recipe, const Task& task, const ModelTraits& model);

  const std::vector<Stage>& stages() const { return stages_; }
  const Stage& stage(const Position& at) const { return stages_.at(at.stage); }
  bool ended(const Position& at) const { return at.gave_up || at.stage == stages_.size(); }
  /// A check is due: enough steps since the stage began and none at this step yet. The cool-down is checked at its end.
  bool check_due(const Position& at) const;

  void after_step(Position& at) const;
  /// What a check with this lowest % of all groups does: enough passes in a row end the stage, the limit ends the run.
  /// Carried states are trained to their limit, whatever the checks before it.
  /// The check after the cool-down decides whether its weights are kept.
  void after_check(double lowest, Position& at) const;

  /// How step `at` is trained.
  double rate(const Position& at) const;
  Mode mode(const Position& at) const;
  double stillness(const Position& at) const;
  /// True in the first step of a phase that starts with empty moments.
  bool renews_optimizer(const Position& at) const;

 private:
  void enter_next(Position& at) const;
  /// How much of the falling part of the steps on lanes is left; 1 before it.
  double falling_left(const Position& at) const;

  Recipe recipe_;
  bool has_history_;  // the model knows the full-history mode
  std::vector<Stage> stages_;
};

}  // namespace schemamem
