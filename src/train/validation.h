#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/threads.h"
#include "models/model.h"
#include "task/batch.h"
#include "train/curriculum.h"
#include "train/desk.h"
#include "train/recipe.h"
#include "train/slot_use.h"

namespace schemamem {

/// How many queries of a group were answered exactly.
struct GroupScore {
  TaskCase asked_in;
  Group group = Group::kNone;
  std::int64_t asked = 0, right = 0;

  double percent() const { return asked > 0 ? 100.0 * static_cast<double>(right) / static_cast<double>(asked) : 0; }
};

/// One check: every scored group of every case of a stage.
struct Check {
  std::vector<GroupScore> groups;
  bool whole = true;  // false: stopped as soon as it could not pass any more
  /// SchemaMem, recurrent stages: memory slots of each layer that the first write segment of an episode uses
  /// (slot_use.h), a mean over a few episodes.
  std::vector<double> slots_used{};

  /// The lowest % of all groups, which decides.
  double lowest() const;
};

/// Runs a model over the fixed validation episodes of a stage. The score is exact-value accuracy in the last segment.
class Validator {
 public:
  Validator(const Recipe& recipe, const SequenceModel<float>& model);

  /// Nothing if `stop` was set meanwhile. Desks: one a thread.
  std::optional<Check> run(const Stage& stage, const Folded<float>& folded, std::span<Desk> desks, ThreadPool& pool,
                           const StopFlag& stop);

 private:
  struct Case {
    TaskCase request;
    std::size_t length = 0;
    std::vector<Token> tokens{};          // [episodes, length]
    std::vector<std::int32_t> answers{};  // [episodes, length] of the queries that count
  };
  void prepare(const Stage& stage);
  std::vector<double> count_slots(const Folded<float>& folded, Desk& desk);

  Recipe recipe_;
  const SequenceModel<float>& model_;
  std::vector<TaskCase> prepared_;
  std::vector<Case> cases_;
  SlotCounter slots_;
};

}  // namespace schemamem
