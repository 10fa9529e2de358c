#include "task/scenarios.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "task/task_case.h"

namespace schemamem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string message(std::string_view setting, std::string_view scenario, std::optional<std::string_view> delay) {
  const auto result = parse_case(setting, scenario, delay);
  EXPECT_FALSE(result);
  if (result) return {};
  EXPECT_EQ(result.error().kind(), ErrorKind::kUsage);
  return result.error().message();
}

EpisodeSize size(std::string_view setting, std::string_view scenario, std::optional<std::string_view> delay = {}) {
  return episode_size(parse_case(setting, scenario, delay).value());
}

TEST(Scenarios, AreThreeTransactionsFourOfMaintenanceAndRounds) {
  std::vector<std::string_view> names;
  for (const ScenarioInfo& scenario : all_scenarios()) {
    names.push_back(scenario.name);
    EXPECT_EQ(parse_scenario(scenario.name).value(), scenario.scenario);
    EXPECT_EQ(&info(scenario.scenario), &scenario);
  }
  EXPECT_THAT(names, ElementsAre("transaction-quarter", "transaction-half", "transaction-full", "immediate",
                                 "retention", "interference", "overwrite", "rounds"));
}

TEST(Scenarios, AnUnknownNameIsRefusedWithTheKnownOnesAndASuggestion) {
  const auto result = parse_scenario("retenton");
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(),
              HasSubstr("Unknown scenario \"retenton\": expected one of transaction-quarter"));
  EXPECT_THAT(result.error().message(), HasSubstr("Did you mean \"retention\"?"));
}

TEST(TaskCase, KnowsHowManyTokensAnEpisodeHas) {
  EXPECT_EQ(size("A5V3", "transaction-quarter").tokens(), 4U + 8U);
  EXPECT_EQ(size("A5V3", "transaction-half").tokens(), 8U + 16U);
  EXPECT_EQ(size("A5V3", "transaction-full").tokens(), 16U + 32U);
  EXPECT_EQ(size("A3V3", "immediate").tokens(), 4U + 8U);
  EXPECT_EQ(size("A3V3", "retention", "96").tokens(), 4U + 96U + 8U);
  EXPECT_EQ(size("A3V3", "interference", "96").tokens(), 2U + 8U + 2U + 96U + 8U);
  EXPECT_EQ(size("A3V3", "overwrite", "0").tokens(), 4U + 8U + 2U + 0U + 8U);
  EXPECT_EQ(size("A3V3", "rounds", "50").tokens(), 50U + 8U);
}

TEST(TaskCase, TheSmallestSubsetStillHasAWrittenAndAnUnwrittenAddress) {
  EXPECT_EQ(size("A2V2", "transaction-quarter").writes, 1U);
  EXPECT_EQ(size("A2V2", "transaction-quarter").queries, 2U);
}

TEST(TaskCase, ItsNameIsThatOfTheTablesOfHashes) {
  EXPECT_EQ(parse_case("A3V3", "retention", "96")->name(), "A3V3/retention/96");
  EXPECT_EQ(parse_case("A3V3", "immediate", "0")->name(), "A3V3/immediate/0");
}

TEST(TaskCase, RefusesDelaysThatTheScenarioOrTheLimitDoesNotAllow) {
  EXPECT_THAT(message("A3V3", "retention", std::nullopt), HasSubstr("Scenario \"retention\" needs a delay"));
  EXPECT_THAT(message("A3V3", "immediate", "96"), HasSubstr("Scenario \"immediate\" has no delay, found delay 96"));
  EXPECT_THAT(message("A3V3", "transaction-half", "1"), HasSubstr("has no delay"));
  EXPECT_EQ(message("A3V3", "retention", "-1"), "The delay must be at least 0, found \"-1\".");
  EXPECT_EQ(message("A3V3", "retention", "1000001"), "The delay must be at most 1000000, found \"1000001\".");
  EXPECT_EQ(message("A3V3", "retention", "many"),
            "The delay must be a whole number from 0 to 1000000, found \"many\".");
  EXPECT_THAT(message("A99V3", "retention", "96"), HasSubstr("address bits"));
  EXPECT_THAT(message("A3V3", "waiting", "96"), HasSubstr("Unknown scenario"));
}

TEST(TaskCase, ChecksCasesThatWereNotRead) {
  EXPECT_TRUE(check({.setting = {3, 3}, .scenario = Scenario::kRetention, .delay = 1'000'000}));
  EXPECT_FALSE(check({.setting = {3, 3}, .scenario = Scenario::kRetention, .delay = 1'000'001}));
  EXPECT_FALSE(check({.setting = {1, 3}, .scenario = Scenario::kRetention, .delay = 0}));
  EXPECT_FALSE(check({.setting = {3, 3}, .scenario = Scenario::kImmediate, .delay = 1}));
}

}  // namespace
}  // namespace schemamem
