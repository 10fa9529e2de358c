#include "sweep/cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "task/registry.h"

namespace schemamem {
namespace {

RunRequest request_of(const std::string& model, const std::vector<std::string>& overrides = {}) {
  return {.model = {model},
          .task = make_task("address-value", "A2V2").value(),
          .seed = 1,
          .recipe = resolve_recipe("fast", overrides).value()};
}

TEST(SweepCost, ExpectedStepsComeFromFinishedRunsWhereThereAreAny) {
  const RunRequest request = request_of("gdn");
  const ExpectedSteps guess = expected_steps(request, {});
  EXPECT_EQ(guess.source, ExpectedSteps::Source::kTable);
  EXPECT_NEAR(guess.total(), 1625 + 1500 + 500, 1);  // and the cool-down

  const std::vector<std::string> stages{
      "transactions-quarter", "transactions-half", "transactions-full", "maintenance-96",
      "maintenance-192",      "maintenance-384",   "cooldown"};
  FinishedRun run{.model = "gdn", .setting = "A3V3", .recipe = "fast", .passed = {}, .steps = 0};
  for (const std::string& stage : stages)
    run.passed.push_back({.name = stage, .step = run.steps += stage == "cooldown" ? 500 : 1000, .lowest = 99});
  const ExpectedSteps other = expected_steps(request, std::vector{run});
  EXPECT_EQ(other.source, ExpectedSteps::Source::kSameModel);
  EXPECT_NEAR(other.total(), 6500, 1);
  run.setting = "A2V2";
  EXPECT_EQ(expected_steps(request, std::vector{run}).source, ExpectedSteps::Source::kSameCell);
  run.recipe = "steady";
  EXPECT_EQ(expected_steps(request, std::vector{run}).source, ExpectedSteps::Source::kTable);
}

TEST(SweepCost, AModelWithFullHistoryStagesIsGuessedToTakeMore) {
  EXPECT_NEAR(expected_steps(request_of("schemamem"), {}).total(), 3000 + 2250 + 500, 1);
  EXPECT_NEAR(expected_steps(request_of("mamba3"), {}).total(), 1625 + 1500 + 500, 1);
}

TEST(SweepCost, ExpectedStepsKeepToTheLimitsOfTheStages) {
  const std::vector<std::string> tiny{"transactions.limit=4", "maintenance.limit=6", "cooldown.steps=5",
                                      "validation.every=2", "validation.passes=1"};
  EXPECT_NEAR(expected_steps(request_of("gdn", tiny), {}).total(), 3 * 4 + 3 * 6 + 5, 1e-9);
}

TEST(SweepCost, AnEstimateTimesRealStepsAndGrowsWithThem) {
  const std::vector<std::string> small{"batch.episodes=2", "validation.episodes=2", "validation.every=1"};
  std::vector<std::string> smaller = small;
  for (const char* limit : {"transactions.limit=10", "maintenance.limit=10", "cooldown.steps=0"})
    smaller.push_back(limit);
  const auto large = estimate_cost(request_of("schemamem", small), {}, 1),
             less = estimate_cost(request_of("schemamem", smaller), {}, 1);
  ASSERT_TRUE(large) << large.error().message();
  ASSERT_TRUE(less);
  EXPECT_GT(less->seconds, 0);
  EXPECT_GT(large->seconds, 5 * less->seconds);
  EXPECT_GT(expected_work(request_of("schemamem", small), {}).value(),
            expected_work(request_of("schemamem", smaller), {}).value());
}

TEST(SweepCost, OfASweepIsThatOfEveryKindTimesItsSeeds) {
  SweepPlan plan{.models = {{"gdn"}, {"mamba3"}},
                 .tasks = parse_tasks("address-value", "A2V2").value(),
                 .seeds = {1, 2, 3},
                 .recipes = {}};
  plan.recipes =
      parse_recipes("fast", {"batch.episodes=2", "validation.episodes=2", "transactions.limit=1", "maintenance.limit=1",
                             "cooldown.steps=1", "validation.every=1", "validation.passes=1"})
          .value();
  const std::vector<SweepCell> cells = sweep_cells(plan);
  std::vector<SweepKind> kinds = sweep_kinds(cells);
  ASSERT_EQ(kinds.size(), 2U);
  EXPECT_EQ(kinds[1].cells.size(), 3U);
  EXPECT_EQ(kinds[1].cells[2].name, cells[5].name);
  std::vector<std::size_t> told;
  const auto all = estimate_sweep(kinds, {}, 2, 1, best_isa(), [&](std::size_t kind) { told.push_back(kind); });
  ASSERT_TRUE(all) << all.error().message();
  EXPECT_THAT(told, testing::ElementsAre(0, 1));
  EXPECT_DOUBLE_EQ(all->seconds, 3 * kinds[0].cost.seconds + 3 * kinds[1].cost.seconds);
  EXPECT_DOUBLE_EQ(all->wall_seconds, all->seconds / 2);
}

}  // namespace
}  // namespace schemamem
