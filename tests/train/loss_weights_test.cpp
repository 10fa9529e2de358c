#include "train/loss_weights.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "task/address_value.h"
#include "task/mqar.h"
#include "train/recipe.h"

namespace schemamem {
namespace {

const AddressValueTask kDatabase({3, 3});

Stage stage_of(Phase phase, bool of_levels = false) {
  Stage stage;
  stage.phase = phase;
  stage.of_levels = of_levels;
  return stage;
}
const Stage kTransactions = stage_of(Phase::kTransactions), kMaintenance = stage_of(Phase::kMaintenance);

struct Filled {
  explicit Filled(const std::vector<EpisodeCase>& cases, const Task& task = kDatabase)
      : batch(task.shape(), cases.size(), 4096) {
    batch.fill(task, *task.source(), cases, {.seed = 1});
    weights.resize(batch.tokens());
  }
  double sum(Group group) const {
    double total = 0;
    for (std::size_t t = 0; t < weights.size(); ++t)
      total += batch.rows().groups[t] == static_cast<std::int8_t>(group) ? weights[t] : 0;
    return total;
  }

  Batch batch;
  std::vector<float> weights;
};

TEST(LossWeights, TransactionsAreTheMeanOverQueries) {
  Filled filled({episode_case(Scenario::kTransactionFull), episode_case(Scenario::kTransactionHalf)});
  loss_weights({}, kTransactions, filled.batch.rows(), filled.weights);
  for (std::size_t t = 0; t < filled.weights.size(); ++t) {
    const bool write = filled.batch.rows().groups[t] == EpisodeRows::kNoGroup;
    EXPECT_FLOAT_EQ(filled.weights[t], write ? 0.0F : 1.0F / 12);
  }
}

TEST(LossWeights, MaintenanceIsTheWeightedMeanOfGroupMeans) {
  Filled filled({episode_case(Scenario::kOverwrite, 40), episode_case(Scenario::kImmediate, 0)});
  loss_weights({}, kMaintenance, filled.batch.rows(), filled.weights);
  EXPECT_EQ(filled.sum(Group::kNone), 0);
  EXPECT_NEAR(filled.sum(Group::kRetained), 1 / 3.1, 1e-6);
  EXPECT_NEAR(filled.sum(Group::kUpdated), 1 / 3.1, 1e-6);
  EXPECT_NEAR(filled.sum(Group::kDefault), 1 / 3.1, 1e-6);
  EXPECT_NEAR(filled.sum(Group::kFiller), 0.1 / 3.1, 1e-6);
}

TEST(LossWeights, AbsentGroupsAreLeftOutOfTheSumOfWeights) {
  Filled filled({episode_case(Scenario::kImmediate, 0)});
  loss_weights({}, kMaintenance, filled.batch.rows(), filled.weights);
  EXPECT_NEAR(filled.sum(Group::kUpdated), 0.5, 1e-6);
  EXPECT_NEAR(filled.sum(Group::kDefault), 0.5, 1e-6);
}

TEST(LossWeights, IntermediateQueriesMayCountLessWithinTheirGroup) {
  Filled filled({episode_case(Scenario::kInterference, 8)});
  Recipe recipe;
  recipe.loss.intermediate = 0.5;
  loss_weights(recipe, kMaintenance, filled.batch.rows(), filled.weights);
  const EpisodeRows rows = filled.batch.rows();
  float early = 0, late = 0;
  for (std::size_t t = 0; t < rows.size(); ++t) {
    if (rows.groups[t] == static_cast<std::int8_t>(Group::kDefault))
      (rows.is_final[t] != 0 ? late : early) = filled.weights[t];
  }
  EXPECT_FLOAT_EQ(early, late / 2);
  EXPECT_NEAR(std::accumulate(filled.weights.begin(), filled.weights.end(), 0.0), 1, 1e-6);
}

TEST(LossWeights, LevelsTakeTheWeightsOfTheTaskAlsoInTheCooldown) {
  Filled filled({mqar_case(2, 16), mqar_case(3, 16)}, MqarTask({.vocabulary = 16, .length = 16, .pairs = 4}));
  const EpisodeRows rows = filled.batch.rows();
  for (const Phase phase : {Phase::kLevels, Phase::kCooldown}) {
    loss_weights({}, stage_of(phase, true), rows, filled.weights);
    for (std::size_t t = 0; t < rows.size(); ++t)
      EXPECT_FLOAT_EQ(filled.weights[t], rows.labels[t] == EpisodeRows::kNoLabel ? 0.0F : 1.0F / 5);
  }
  std::size_t doubled = 0;
  while (rows.weights[doubled] == 0) ++doubled;
  rows.weights[doubled] = 2;
  loss_weights({}, stage_of(Phase::kLevels, true), rows, filled.weights);
  for (std::size_t t = 0; t < rows.size(); ++t) {
    const float expected = rows.labels[t] == EpisodeRows::kNoLabel ? 0.0F : t == doubled ? 2.0F / 6 : 1.0F / 6;
    EXPECT_FLOAT_EQ(filled.weights[t], expected);
  }
}

}  // namespace
}  // namespace schemamem
