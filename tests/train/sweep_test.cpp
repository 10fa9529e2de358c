#include "train/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "support/temporary_folder.h"
#include "train/sweep_cost.h"

namespace schemamem {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

std::vector<std::string> names(const std::vector<Setting>& settings) {
  std::vector<std::string> result;
  for (const Setting& setting : settings) result.push_back(setting.name());
  return result;
}

SweepPlan example(const std::vector<std::string>& overrides = {}) {
  return {.models = {"schemamem", "gdn"},
          .settings = {{3, 3}, {4, 5}},
          .seeds = {42, 43, 50},
          .recipes = parse_recipes("fast,steady", overrides).value()};
}

TEST(Sweep, SettingsAreListsRangesOrThePapersGrid) {
  EXPECT_THAT(names(parse_settings("A3V3,A4V5").value()), ElementsAre("A3V3", "A4V5"));
  EXPECT_THAT(names(parse_settings("A3-4V3-4,A3V3").value()), ElementsAre("A3V3", "A3V4", "A4V3", "A4V4"));
  EXPECT_THAT(names(parse_settings("A5V3-5").value()), ElementsAre("A5V3", "A5V4", "A5V5"));
  EXPECT_EQ(parse_settings("grid").value(), paper_settings());
  for (const char* wrong : {"", "A3V3,", "A3", "A3-V3", "A5-3V3", "A3-99V3", "A1-3V3", "grids", "A3V3 "})
    EXPECT_FALSE(parse_settings(wrong)) << wrong;
}

TEST(Sweep, SeedsAreListsAndRanges) {
  EXPECT_THAT(parse_seeds("42-44,50,43").value(), ElementsAre(42, 43, 44, 50));
  for (const char* wrong : {"", "a", "-3", "44-42", "1-", "1-9999999", "1,,2"})
    EXPECT_FALSE(parse_seeds(wrong)) << wrong;
}

TEST(Sweep, UnknownModelsAndRecipesAreRefusedWithASuggestion) {
  EXPECT_THAT(parse_models("schemamem,mamba").error().message(), HasSubstr("Did you mean \"mamba3\"?"));
  EXPECT_THAT(parse_recipes("fats", {}).error().message(), HasSubstr("Did you mean \"fast\"?"));
  EXPECT_FALSE(parse_recipes("fast", {"optimizer.clipp=1"}));
}

TEST(Sweep, EveryModelSettingSeedAndRecipeIsOneRunWithItsOwnName) {
  const std::vector<SweepCell> cells = sweep_cells(example());
  ASSERT_EQ(cells.size(), 24U);
  std::set<std::string> unique;
  for (const SweepCell& cell : cells) unique.insert(cell.name);
  EXPECT_EQ(unique.size(), 24U);
  EXPECT_EQ(cells.front().name, run_name(cells.front().request));
  SweepPlan repeated = example();
  repeated.seeds = {42, 42};
  EXPECT_EQ(sweep_cells(repeated).size(), 8U);
}

TEST(Sweep, APlanIsReadBackWithEveryValue) {
  const SweepPlan plan = example({"loss.filler=0.1000000000000001", "optimizer.epsilon=1e-12", "cooldown.steps=7"});
  const auto back = parse_sweep(sweep_toml(plan), "sweep.toml");
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(sweep_toml(*back), sweep_toml(plan));
  const auto before = sweep_cells(plan), after = sweep_cells(*back);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(before[i].name, after[i].name);
}

TEST(Sweep, ABrokenPlanIsRefusedWithTheReason) {
  const std::string good = sweep_toml(example());
  const auto broken = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    const auto plan = parse_sweep(text, "sweep.toml");
    return plan ? std::string("accepted") : plan.error().message();
  };
  EXPECT_THAT(broken("version = 1", "version = 2"), HasSubstr("version 2"));
  EXPECT_THAT(broken("schemamem sweep\"", "another\""), HasSubstr("no plan of a sweep"));
  EXPECT_THAT(broken("seeds =", "sees ="), HasSubstr("Did you mean \"seeds\"?"));
  EXPECT_THAT(broken("[42, 43, 50]", "[]"), HasSubstr("not empty"));
  EXPECT_THAT(broken("[42, 43, 50]", "[-1]"), HasSubstr("negative"));
  EXPECT_THAT(broken("[42, 43, 50]", "['a']"), HasSubstr("wrong type"));
  EXPECT_THAT(broken("\"gdn\"", "\"gnd\""), HasSubstr("gdn"));
  EXPECT_THAT(broken("batch.episodes = 32\n", ""), HasSubstr("batch.episodes is missing"));
  EXPECT_THAT(broken("batch.episodes = 32", "batch.episodes = 0"), HasSubstr("must be"));
  EXPECT_THAT(broken("models", "models = ["), HasSubstr("line "));
}

TEST(Sweep, APlanIsWrittenOnceAndAnotherNeverOverIt) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_sweep(folder / "s", example()));
  EXPECT_TRUE(write_sweep(folder / "s", example()));
  SweepPlan other = example();
  other.seeds.push_back(51);
  const Status refused = write_sweep(folder / "s", other);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kCannotCreate);
  EXPECT_EQ(sweep_toml(read_sweep(folder / "s").value()), sweep_toml(example()));
  EXPECT_EQ(read_sweep(folder / "nowhere").error().kind(), ErrorKind::kMissingInput);
}

TEST(Sweep, WhatARecipeDoesNotSayTodayIsSpelledOutForTheChild) {
  const std::vector<SweepCell> cells = sweep_cells(example({"cooldown.steps=7", "validation.source=paper"}));
  const auto arguments = train_arguments(cells.front(), "sweeps/x", 3);
  ASSERT_TRUE(arguments);
  EXPECT_THAT(*arguments, AllOf(Contains("cooldown.steps=7"), Contains("validation.source=\"paper\""),
                                Contains("sweeps/x/" + cells.front().name), Contains("3")));
  EXPECT_EQ(std::count(arguments->begin(), arguments->end(), "--set"), 2);
  SweepCell gone = cells.front();
  gone.source = "gone.toml";
  EXPECT_EQ(train_arguments(gone, "sweeps/x", 3).error().kind(), ErrorKind::kMissingInput);
}

RunRequest request_of(const std::string& model, const std::vector<std::string>& overrides = {}) {
  return {.model = model, .setting = {2, 2}, .seed = 1, .recipe = resolve_recipe("fast", overrides).value()};
}

TEST(SweepCost, ExpectedStepsComeFromFinishedRunsWhereThereAreAny) {
  const RunRequest request = request_of("gdn");
  const ExpectedSteps guess = expected_steps(request, {});
  EXPECT_EQ(guess.source, ExpectedSteps::Source::kTable);
  EXPECT_NEAR(guess.total(), 1750 + 1500 + 500, 1);  // and the cool-down

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

}  // namespace
}  // namespace schemamem
