#include "task/curve_episode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace schemamem {
namespace {

constexpr Setting kSetting{3, 3};
constexpr std::uint64_t kSeed = 20261001;

std::vector<Token> copy(std::span<const Token> tokens) { return {tokens.begin(), tokens.end()}; }

class EveryDelayedScenario : public testing::TestWithParam<Scenario> {};

TEST_P(EveryDelayedScenario, ACurveEpisodeAsksEveryAddressForWhatItHolds) {
  CurveEpisode episode(kSetting, GetParam(), kSeed);
  for (std::uint64_t index = 0; index < 20; ++index) {
    episode.begin(index);
    std::vector<std::int32_t> holds(kSetting.addresses());
    std::set<std::int32_t> written;
    for (std::size_t j = 0; j < holds.size(); ++j) holds[j] = static_cast<std::int32_t>(kSetting.default_value(j));
    for (const Token& token : episode.before()) {
      EXPECT_FALSE(token.final);
      if (!token.is_write()) continue;
      holds[static_cast<std::size_t>(token.address)] = token.value;
      written.insert(token.address);
    }
    EXPECT_EQ(written.size(), kSetting.addresses() / 2);
    for (int i = 0; i < 100; ++i) {
      const Token filler = episode.next_filler();
      EXPECT_FALSE(filler.is_write() || filler.final);
      EXPECT_EQ(filler.group, Group::kFiller);
      EXPECT_EQ(written.count(filler.address), 0U);
    }
    std::set<std::int32_t> asked;
    for (const Token& token : episode.questions(100)) {
      EXPECT_TRUE(token.final);
      EXPECT_EQ(token.label, holds[static_cast<std::size_t>(token.address)]);
      EXPECT_EQ(token.group == Group::kDefault, written.count(token.address) == 0);
      asked.insert(token.address);
    }
    EXPECT_EQ(asked.size(), kSetting.addresses());
  }
}

TEST_P(EveryDelayedScenario, WhatACurveAsksAtADelayDoesNotDependOnTheOtherDelays) {
  CurveEpisode one(kSetting, GetParam(), kSeed), other(kSetting, GetParam(), kSeed);
  one.begin(4);
  other.begin(7);
  other.begin(4);
  other.questions(50);
  EXPECT_EQ(copy(one.before()), copy(other.before()));
  EXPECT_EQ(copy(one.questions(96)), copy(other.questions(96)));
  EXPECT_NE(copy(one.questions(96)), copy(other.questions(97)));
  for (int i = 0; i < 200; ++i) EXPECT_EQ(one.next_filler(), other.next_filler());
}

INSTANTIATE_TEST_SUITE_P(, EveryDelayedScenario,
                         testing::Values(Scenario::kRetention, Scenario::kInterference, Scenario::kOverwrite),
                         [](const auto& name) { return std::string(schemamem::info(name.param).name); });

TEST(CurveEpisode, DrawsTheSameTokensForever) {
  // A change of these numbers makes every earlier curve unrepeatable.
  CurveEpisode episode(kSetting, Scenario::kOverwrite, kSeed);
  episode.begin(3);
  std::vector<std::int32_t> fillers, asked;
  for (int i = 0; i < 8; ++i) fillers.push_back(episode.next_filler().address);
  for (const Token& token : episode.questions(1536)) asked.push_back(token.address);
  EXPECT_EQ(fillers, (std::vector<std::int32_t>{2, 7, 0, 0, 7, 0, 7, 7}));
  EXPECT_EQ(asked, (std::vector<std::int32_t>{2, 3, 0, 5, 4, 1, 6, 7}));
}

TEST(CurveEpisode, TheScenariosThatWerePublishedShareOnePurposeByTheirNumbers) {
  // The index of a stream is delay << 24 | episode << 4 | scenario << 2 | part; two bits hold the scenario, so that a
  // fifth one has to have a purpose of its own (curve_purpose).
  for (const auto& [scenario, number] :
       {std::pair{Scenario::kRetention, 1U}, {Scenario::kInterference, 2U}, {Scenario::kOverwrite, 3U}}) {
    ASSERT_EQ(info(scenario).paper_index, number);
    CurveEpisode episode(kSetting, scenario, kSeed);
    episode.begin(9);
    std::vector<std::int32_t> expected(kSetting.addresses()), asked;
    for (std::size_t j = 0; j < expected.size(); ++j) expected[j] = static_cast<std::int32_t>(j);
    Rng order =
        Rng::stream(kSeed, Purpose::kEvaluationEpisode, (std::uint64_t{96} << 24) | (9U << 4) | (number << 2) | 2U);
    order.shuffle(std::span(expected));
    for (const Token& token : episode.questions(96)) asked.push_back(token.address);
    EXPECT_EQ(asked, expected) << info(scenario).name;
  }
}

TEST(CurveEpisode, ImmediateHasNoCurve) {
  EXPECT_THROW(CurveEpisode(kSetting, Scenario::kImmediate, kSeed), ContractViolation);
}

}  // namespace
}  // namespace schemamem
