#include "sweep/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "support/temporary_folder.h"
#include "task/setting.h"

namespace schemamem {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names(std::string_view settings, std::string_view task = "address-value") {
  std::vector<std::string> result;
  const auto tasks = parse_tasks(task, settings);
  for (const auto& one : *tasks) result.push_back(one->setting());
  return result;
}

SweepPlan example(const std::vector<std::string>& overrides = {}) {
  return {.models = {{"schemamem"}, {"gdn"}},
          .tasks = parse_tasks("address-value", "A3V3,A4V5").value(),
          .seeds = {42, 43, 50},
          .recipes = parse_recipes("fast,steady", overrides).value()};
}

TEST(Sweep, SettingsAreListsRangesOrThePapersGrid) {
  EXPECT_THAT(names("A3V3,A4V5"), ElementsAre("A3V3", "A4V5"));
  EXPECT_THAT(names("A3-4V3-4,A3V3"), ElementsAre("A3V3", "A3V4", "A4V3", "A4V4"));
  EXPECT_THAT(names("A5V3-5"), ElementsAre("A5V3", "A5V4", "A5V5"));
  std::vector<std::string> grid;
  for (const Setting& setting : paper_settings()) grid.push_back(setting.name());
  EXPECT_EQ(names("grid"), grid);
  for (const char* wrong : {"", "A3V3,", "A3", "A3-V3", "A5-3V3", "A3-99V3", "A1-3V3", "grids", "A3V3 "})
    EXPECT_FALSE(parse_tasks("address-value", wrong)) << wrong;
}

TEST(Sweep, SettingsOfAnotherTaskAreAList) {
  EXPECT_THAT(names("V64L32P4,V128L64P8,V64L32P4", "mqar"), ElementsAre("V64L32P4", "V128L64P8"));
  for (const char* wrong : {"A3V3", "grid", "", "V64L32P4,"}) EXPECT_FALSE(parse_tasks("mqar", wrong)) << wrong;
  EXPECT_THAT(parse_tasks("mqra", "V64L32P4").error().message(), HasSubstr("Did you mean \"mqar\"?"));
}

TEST(Sweep, AModelMayHaveSizesOfItsOwnAndAPlanAnotherTask) {
  SweepPlan plan = example();
  plan.models = parse_models("schemamem:slots=16:width=16:heads=2,gdn").value();
  plan.tasks = parse_tasks("mqar", "V64L32P4").value();
  const std::string text = sweep_toml(plan);
  EXPECT_THAT(text, AllOf(HasSubstr("schemamem:heads=2:slots=16:width=16"), HasSubstr("mqar"), HasSubstr("V64L32P4")));
  const auto back = parse_sweep(text, "sweep.toml");
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(sweep_toml(*back), text);
  const auto cells = sweep_cells(*back);
  EXPECT_EQ(cells.front().name, sweep_cells(plan).front().name);
  const auto arguments = train_arguments(cells.front(), "sweeps/x", 1).value();
  EXPECT_THAT(arguments, AllOf(Contains("schemamem:heads=2:slots=16:width=16"), Contains("mqar")));
  plan.models = parse_models("schemamem").value();
  EXPECT_NE(sweep_cells(plan).front().name, cells.front().name);
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

TEST(Sweep, APlanOfMoreRunsThanFitIsRefusedBeforeTheyAreMade) {
  SweepPlan plan = parse_sweep(sweep_toml(example()), "sweep.toml").value();
  plan.seeds.resize(200'000);
  EXPECT_THAT(parse_sweep(sweep_toml(plan), "sweep.toml").error().message(), HasSubstr("at most 100000"));
  const TemporaryFolder folder;
  EXPECT_EQ(write_sweep(folder / "s", plan).error().kind(), ErrorKind::kUsage);
  EXPECT_FALSE(std::filesystem::exists(folder / "s"));
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

}  // namespace
}  // namespace schemamem
