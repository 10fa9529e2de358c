#include "sweep/outlook.h"

#include <gtest/gtest.h>

#include "sweep/cost.h"
#include "task/registry.h"
#include "train/recipe_file.h"

namespace schemamem {
namespace {

RunRequest request(const std::vector<std::string>& overrides = {}) {
  return {.model = {.name = "gdn"},
          .task = make_task("address-value", "A2V2").value(),
          .recipe = resolve_recipe("fast", overrides).value()};
}

TEST(RunOutlook, IsUnknownWithoutAPaceAndOverAtTheEnd) {
  const RunOutlook outlook(request());
  EXPECT_FALSE(outlook.left({.stage = "", .stage_number = 1}));
  EXPECT_FALSE(outlook.left({.stage = kDoneStage, .stage_number = 1, .steps_per_second = 9}));
}

TEST(RunOutlook, CountsTheStepsThatSuchRunsTakeAndAtMostTheLimits) {
  const RunRequest asked = request();
  const auto left = RunOutlook(asked).left({.stage = "", .stage_number = 1, .steps_per_second = 100});
  ASSERT_TRUE(left);
  const auto stages = make_curriculum(asked);
  const auto work = step_work(asked).value();
  const auto expected = expected_steps(asked, {}).by_stage;
  double wanted = 0, most = 0;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    wanted += expected[i] * work[i] / work[0] / 100;
    most += static_cast<double>(stages[i].limit) * work[i] / work[0] / 100;
  }
  EXPECT_NEAR(left->expected, wanted, 1e-6 * wanted);
  EXPECT_NEAR(left->most, most, 1e-6 * most);
  EXPECT_GT(work.back(), work.front()) << "a step of a long delay costs more";
}

TEST(RunOutlook, AStageDoesNotEndBeforeTheChecksItStillHasToPass) {
  const RunRequest asked = request({"validation.every=50", "validation.passes=3", "cooldown.steps=0"});
  const auto stages = make_curriculum(asked);
  const RunProgress late{.stage = "",
                         .stage_number = stages.size(),
                         .stage_step = 50'000,
                         .steps_per_second = 10,
                         .steps_to_check = 20,
                         .passes = 1,
                         .passes_needed = 3};
  EXPECT_DOUBLE_EQ(RunOutlook(asked).left(late)->expected, 7.0) << "20 steps, and 50 to the third";
}

TEST(RunOutlook, TheCooldownEndsAtItsLimitAndNowhereElse) {
  const RunRequest asked = request({"cooldown.steps=1000"});
  const auto left = RunOutlook(asked).left(
      {.stage = "", .stage_number = make_curriculum(asked).size(), .stage_step = 400, .steps_per_second = 100});
  EXPECT_DOUBLE_EQ(left->expected, 6);
  EXPECT_DOUBLE_EQ(left->most, 6);
}

}  // namespace
}  // namespace schemamem
