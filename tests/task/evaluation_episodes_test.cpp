#include "task/evaluation_episodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "support/oracle.h"
#include "support/test_data.h"

namespace schemamem {
namespace {

using nlohmann::json;

TaskCase case_named(const std::string& name) {
  std::istringstream text(name);
  std::string setting, scenario, delay;
  std::getline(text, setting, '/');
  std::getline(text, scenario, '/');
  std::getline(text, delay);
  return parse_case(setting, scenario, delay).value();
}

const json& golden() {
  static const json data = test::read_json_data("episodes/numpy_episodes.json");
  return data;
}

std::vector<Token> tokens_of(const json& rows) {
  std::vector<Token> tokens;
  for (const json& row : rows) {
    tokens.push_back({.address = row.at(0),
                      .value = row.at(1),
                      .label = row.at(2),
                      .group = static_cast<Group>(row.at(3).get<int>()),
                      .final = row.at(4) == 1});
  }
  return tokens;
}

TEST(EvaluationEpisodes, AreThePapersToTheBit) {
  ASSERT_EQ(golden().at("sha256").size(), 112U);
  for (const auto& [name, expected] : golden().at("sha256").items())
    EXPECT_EQ(evaluation_hash(case_named(name)), expected.get<std::string>()) << name;
}

TEST(EvaluationEpisodes, SmallOnesEqualThePublishedRowsTokenByToken) {
  for (const auto& [name, expected] : golden().at("small_episodes_two_rows").items()) {
    const bool immediate = name.find("immediate") != std::string::npos;
    EvaluationEpisodes episodes(case_named(immediate ? "A3V3/immediate/0" : name), {.episodes = 2});
    for (const json& rows : expected) {
      const auto tokens = episodes.next();
      EXPECT_EQ(std::vector<Token>(tokens.begin(), tokens.end()), tokens_of(rows)) << name;
    }
    EXPECT_TRUE(episodes.next().empty());
  }
}

TEST(EvaluationEpisodes, AgreeWithTheOracleInSettingsOfEverySize) {
  for (const char* name : {"A2V2/immediate/0", "A2V2/overwrite/5", "A2V16/interference/3", "A6V2/retention/33",
                           "A9V11/overwrite/100", "A16V16/interference/7", "A16V2/overwrite/0"}) {
    const TaskCase request = case_named(name);
    EvaluationEpisodes episodes(request, {.episodes = 3});
    for (auto tokens = episodes.next(); !tokens.empty(); tokens = episodes.next()) {
      EXPECT_EQ(test::answers_of(tokens), test::oracle(request.setting.address_bits, request.setting.value_bits,
                                                       std::string(info(request.scenario).name), tokens))
          << name;
    }
  }
}

TEST(EvaluationEpisodes, AnotherSeedGivesOtherEpisodes) {
  const TaskCase request = case_named("A3V3/retention/96");
  EXPECT_NE(evaluation_hash(request, {.seed = 1}), evaluation_hash(request));
}

TEST(EvaluationEpisodes, ABatchDoesNotDependOnHowManyFollow) {
  const TaskCase request = case_named("A4V3/overwrite/9");
  EvaluationEpisodes few(request, {.episodes = 128}), many(request, {.episodes = 300});
  for (int i = 0; i < 128; ++i) {
    const auto a = few.next(), b = many.next();
    ASSERT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << i;
  }
  EXPECT_TRUE(few.next().empty());
  for (int i = 128; i < 300; ++i) EXPECT_FALSE(many.next().empty());
  EXPECT_TRUE(many.next().empty());
}

TEST(EvaluationEpisodes, TheLongestDelayIsStreamedOneEpisodeAtATime) {
  EvaluationEpisodes episodes(case_named("A3V3/retention/1000000"));
  EXPECT_EQ(episodes.next().size(), 1'000'012U);
}

TEST(EvaluationEpisodes, ADelayThatNoMemoryHoldsIsDrawnPieceByPiece) {
  TaskCase request = case_named("A3V3/interference/96");
  request.delay = static_cast<std::size_t>(kLongestStreamedDelay);
  EvaluationEpisodes episodes(request, {.episodes = 130});
  EvaluationEpisode episode;
  for (int i = 0; i < 130; ++i) {
    ASSERT_TRUE(episodes.next(episode));
    EXPECT_EQ(episode.before().size(), 2U + 8U + 2U);
    EXPECT_EQ(episode.questions().size(), 8U);
    EXPECT_EQ(episode.next_filler().group, Group::kFiller);
  }
  EXPECT_FALSE(episodes.next(episode));
  EXPECT_THROW(EvaluationEpisodes(request).next(), ContractViolation);
}

TEST(EvaluationEpisodes, DoNotExistForTransactions) {
  const TaskCase request{.setting = {3, 3}, .scenario = Scenario::kTransactionFull};
  const Status status = check_evaluation(request);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message(), testing::HasSubstr("training only"));
  EXPECT_THROW(EvaluationEpisodes{request}, ContractViolation);
}

}  // namespace
}  // namespace schemamem
