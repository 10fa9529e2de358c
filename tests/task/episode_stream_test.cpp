#include "task/episode_stream.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "support/oracle.h"
#include "support/random_cases.h"
#include "task/batch.h"

namespace schemamem {
namespace {

using test::any_address;
using test::any_case;
using test::make_episode;

RC_GTEST_PROP(AnyEpisode, IsAnsweredLikeTheOracleDoes, ()) {
  const TaskCase request = *any_case();
  const auto tokens = make_episode(request, *any_address());
  RC_ASSERT(test::answers_of(tokens) == test::oracle(request.setting.address_bits, request.setting.value_bits,
                                                     std::string(info(request.scenario).name), tokens));
}

RC_GTEST_PROP(AnyEpisode, OfMaintenanceWritesValuesThatDifferFromTheCurrentOneAndTheDefault, ()) {
  const TaskCase request = *test::maintenance_case();
  const int values = 1 << request.setting.value_bits;
  std::map<int, int> current;
  for (const Token& token : make_episode(request, *any_address())) {
    if (!token.is_write()) continue;
    RC_ASSERT(token.value < values);
    RC_ASSERT(token.value != token.address % values);
    RC_ASSERT(!current.contains(token.address) || token.value != current[token.address]);
    current[token.address] = token.value;
  }
}

RC_GTEST_PROP(AnyEpisode, FillsItsDelayWithAddressesThatAreNeverWritten, ()) {
  const TaskCase request = *any_case();
  const auto tokens = make_episode(request, *any_address());
  std::set<int> written;
  for (const Token& token : tokens) {
    if (token.is_write()) written.insert(token.address);
  }
  std::size_t fillers = 0;
  for (const Token& token : tokens) {
    if (token.group != Group::kFiller) continue;
    ++fillers;
    RC_ASSERT(!written.contains(token.address));
  }
  RC_ASSERT(fillers == request.delay);
}

RC_GTEST_PROP(AnyEpisode, EndsWithTheScoredGroupsAndAsksEveryAddressOnce, ()) {
  const TaskCase request = *any_case();
  std::set<Group> groups;
  std::set<int> asked;
  std::size_t final_tokens = 0;
  for (const Token& token : make_episode(request, *any_address())) {
    if (!token.final) continue;
    ++final_tokens;
    groups.insert(token.group);
    asked.insert(token.address);
  }
  RC_ASSERT(asked.size() == final_tokens);
  if (info(request.scenario).family == Family::kMaintenance) RC_ASSERT(final_tokens == request.setting.addresses());
  const auto scored = info(request.scenario).scored;
  RC_ASSERT(groups == std::set<Group>(scored.begin(), scored.end()));
}

RC_GTEST_PROP(AnyEpisode, HasSegmentEndsWhereTheValidityBitFlips, ()) {
  const TaskCase request = *any_case();
  const auto tokens = make_episode(request, *any_address());
  std::vector<std::size_t> flips;
  for (std::size_t t = 1; t < tokens.size(); ++t) {
    if ((tokens[t].value < 0) != (tokens[t - 1].value < 0)) flips.push_back(t);
  }
  flips.push_back(tokens.size());
  RC_ASSERT(segment_ends(tokens) == flips);
}

RC_GTEST_PROP(AnyEpisode, DependsOnItsAddressAlone, ()) {
  const TaskCase request = *any_case();
  const EpisodeAddress address = *any_address();
  EpisodeMaker maker(request.setting);
  std::vector<Token> first(episode_size(request).tokens());
  maker.make(request, address, first);
  EpisodeAddress other = address;
  ++other.index;
  std::vector<Token> between(first.size());
  maker.make(request, other, between);
  std::vector<Token> again(first.size());
  maker.make(request, address, again);
  RC_ASSERT(first == again);
}

TEST(EpisodeMaker, GivesDifferentEpisodesForDifferentSeedsPurposesAndIndices) {
  const TaskCase request{.setting = {5, 5}, .scenario = Scenario::kRetention, .delay = 32};
  const EpisodeAddress address{.seed = 1, .purpose = Purpose::kTrainEpisode, .index = 1};
  const auto tokens = make_episode(request, address);
  EXPECT_NE(tokens, make_episode(request, {2, Purpose::kTrainEpisode, 1}));
  EXPECT_NE(tokens, make_episode(request, {1, Purpose::kValidationEpisode, 1}));
  EXPECT_NE(tokens, make_episode(request, {1, Purpose::kTrainEpisode, 2}));
}

TEST(EpisodeMaker, MakesTheSameEpisodeForever) {
  // A change here makes every earlier training run unrepeatable.
  const TaskCase request{.setting = {3, 3}, .scenario = Scenario::kOverwrite, .delay = 3};
  std::vector<std::vector<int>> inputs;
  for (const Token& token : make_episode(request, {42, Purpose::kTrainEpisode, 7}))
    inputs.push_back({token.address, token.value});
  EXPECT_EQ(inputs, (std::vector<std::vector<int>>{{1, 2},  {0, 2},  {7, 4},  {3, 6},  {1, -1}, {3, -1}, {5, -1},
                                                   {4, -1}, {2, -1}, {0, -1}, {6, -1}, {7, -1}, {1, 5},  {0, 6},
                                                   {2, -1}, {2, -1}, {4, -1}, {7, -1}, {6, -1}, {1, -1}, {5, -1},
                                                   {4, -1}, {2, -1}, {0, -1}, {3, -1}}));
}

TEST(EpisodeMaker, UsesEveryAddressAndEveryAllowedValueEquallyOften) {
  const TaskCase request{.setting = {3, 2}, .scenario = Scenario::kOverwrite, .delay = 4};
  constexpr int kEpisodes = 20'000;
  std::map<std::pair<int, int>, int> writes;
  std::map<int, int> fillers;
  std::vector<Token> tokens(episode_size(request).tokens());
  EpisodeMaker maker(request.setting);
  for (std::uint64_t i = 0; i < kEpisodes; ++i) {
    maker.make(request, {3, Purpose::kTest, i}, tokens);
    for (const Token& token : tokens) {
      if (token.is_write()) ++writes[{token.address, token.value}];
      if (token.group == Group::kFiller) ++fillers[token.address];
    }
  }
  // Six writes over eight addresses with three allowed values each; four fillers over eight addresses. The bound is
  // five deviations of independent draws; draws without replacement vary less, repeated fillers not more than this.
  EXPECT_EQ(writes.size(), 24U);
  for (const auto& [cell, count] : writes)
    EXPECT_NEAR(count, kEpisodes * 6 / 24.0, 5 * std::sqrt(kEpisodes * 6 / 24.0));
  EXPECT_EQ(fillers.size(), 8U);
  for (const auto& [address, count] : fillers)
    EXPECT_NEAR(count, kEpisodes * 4 / 8.0, 5 * std::sqrt(kEpisodes * 4 / 8.0 * 2));
}

TEST(EpisodeMaker, RefusesAnotherSettingAndAnotherLength) {
  EpisodeMaker maker({3, 3});
  std::vector<Token> tokens(12);
  EXPECT_THROW(maker.make({.setting = {3, 4}}, {}, tokens), ContractViolation);
  tokens.resize(11);
  EXPECT_THROW(maker.make({.setting = {3, 3}}, {}, tokens), ContractViolation);
}

}  // namespace
}  // namespace schemamem
