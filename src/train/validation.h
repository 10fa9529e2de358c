#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/model.h"
#include "system/ranks.h"
#include "system/threads.h"
#include "task/batch.h"
#include "train/curriculum.h"
#include "train/recipe.h"
#include "train/slot_use.h"
#include "train/workspace.h"

namespace schemamem {

/// How many queries of a group were answered exactly.
struct GroupScore {
  EpisodeCase asked_in;
  std::int8_t group = EpisodeRows::kNoGroup;  // of the task
  std::int64_t asked = 0, right = 0;

  double percent() const { return asked > 0 ? 100.0 * static_cast<double>(right) / static_cast<double>(asked) : 0; }
};

/// One check: every scored group of every case of a stage.
struct Check {
  std::vector<GroupScore> groups;
  bool whole = true;  // false: stopped as soon as it could not pass any more
  /// Models with slots, recurrent stages: memory slots of each layer that the first chunk of an episode uses
  /// (slot_use.h), a mean over a few episodes.
  std::vector<double> slots_used{};

  /// The lowest % of all groups, which decides.
  double lowest() const;
};

/// Runs a model over the fixed validation episodes of a stage. The score is the share of right answers among those that
/// evaluation scores.
class Validator {
 public:
  /// Task, model and ranks outlive it.
  Validator(const Recipe& recipe, const Task& task, const SequenceModel<float>& model, Ranks& ranks = alone());

  /// The ranks share the episodes and come to the same check. Nothing if `stop` of one of them was set meanwhile.
  /// Workspaces: one a thread.
  std::optional<Check> run(const Stage& stage, const Folded<float>& folded, std::span<Workspace<float>> workspaces,
                           ThreadPool& pool, const StopFlag& stop);

 private:
  struct Case {
    EpisodeCase request;
    Batch episodes;
    std::vector<std::int32_t> answers{};  // [rows] where one counts
  };
  /// A group of a case, and how often it is asked in all episodes.
  struct Scored {
    const Case* asked_in = nullptr;
    std::int64_t in_all = 0;
  };
  void prepare(const Stage& stage);
  void answer(const Stage& stage, const Folded<float>& folded, Case& one, std::size_t episode,
              Workspace<float>& workspace) const;
  std::vector<double> count_slots(const Folded<float>& folded, Workspace<float>& workspace);

  Recipe recipe_;
  const Task& task_;
  const SequenceModel<float>& model_;
  Ranks& ranks_;
  std::vector<EpisodeCase> prepared_;
  std::vector<Case> cases_;
  SlotCounter slots_;
};

}  // namespace schemamem
