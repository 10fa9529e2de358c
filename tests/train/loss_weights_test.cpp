#include "train/loss_weights.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "base/threads.h"
#include "train/recipe.h"

namespace schemamem {
namespace {

struct Filled {
  explicit Filled(std::vector<TaskCase> cases) : batch(kSetting, cases.size(), 4096) {
    ThreadPool pool(1);
    BatchFiller(kSetting, 1024, 1).fill(cases, {.seed = 1}, pool, batch);
    weights.resize(batch.tokens());
  }
  double sum(Group group) const {
    double total = 0;
    for (std::size_t t = 0; t < weights.size(); ++t) total += batch.rows().groups[t] == group ? weights[t] : 0;
    return total;
  }

  static constexpr Setting kSetting{3, 3};
  Batch batch;
  std::vector<float> weights;
};

TEST(LossWeights, TransactionsAreTheMeanOverQueries) {
  Filled filled({{Filled::kSetting, Scenario::kTransactionFull}, {Filled::kSetting, Scenario::kTransactionHalf}});
  loss_weights({}, Family::kTransaction, filled.batch.rows(), filled.weights);
  for (std::size_t t = 0; t < filled.weights.size(); ++t) {
    const bool write = filled.batch.rows().groups[t] == Group::kNone;
    EXPECT_FLOAT_EQ(filled.weights[t], write ? 0.0F : 1.0F / 12);
  }
}

TEST(LossWeights, MaintenanceIsTheWeightedMeanOfGroupMeans) {
  Filled filled({{Filled::kSetting, Scenario::kOverwrite, 40}, {Filled::kSetting, Scenario::kImmediate, 0}});
  loss_weights({}, Family::kMaintenance, filled.batch.rows(), filled.weights);
  EXPECT_EQ(filled.sum(Group::kNone), 0);
  EXPECT_NEAR(filled.sum(Group::kRetained), 1 / 3.1, 1e-6);
  EXPECT_NEAR(filled.sum(Group::kUpdated), 1 / 3.1, 1e-6);
  EXPECT_NEAR(filled.sum(Group::kDefault), 1 / 3.1, 1e-6);
  EXPECT_NEAR(filled.sum(Group::kFiller), 0.1 / 3.1, 1e-6);
}

TEST(LossWeights, AbsentGroupsAreLeftOutOfTheSumOfWeights) {
  Filled filled({{Filled::kSetting, Scenario::kImmediate, 0}});
  loss_weights({}, Family::kMaintenance, filled.batch.rows(), filled.weights);
  EXPECT_NEAR(filled.sum(Group::kUpdated), 0.5, 1e-6);
  EXPECT_NEAR(filled.sum(Group::kDefault), 0.5, 1e-6);
}

TEST(LossWeights, IntermediateQueriesMayCountLessWithinTheirGroup) {
  Filled filled({{Filled::kSetting, Scenario::kInterference, 8}});
  Recipe recipe;
  recipe.loss.intermediate = 0.5;
  loss_weights(recipe, Family::kMaintenance, filled.batch.rows(), filled.weights);
  const EncodedTokens rows = filled.batch.rows();
  float early = 0, late = 0;
  for (std::size_t t = 0; t < rows.size(); ++t) {
    if (rows.groups[t] == Group::kDefault) (rows.is_final[t] != 0 ? late : early) = filled.weights[t];
  }
  EXPECT_FLOAT_EQ(early, late / 2);
  EXPECT_NEAR(std::accumulate(filled.weights.begin(), filled.weights.end(), 0.0), 1, 1e-6);
}

}  // namespace
}  // namespace schemamem
