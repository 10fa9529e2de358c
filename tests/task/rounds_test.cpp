#include "task/rounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "task/episode_stream.h"

namespace schemamem {
namespace {

using testing::HasSubstr;

const Setting kSetting{3, 3};

std::vector<Token> tokens_of(const Rounds& rounds, std::size_t count, std::uint64_t seed = 1) {
  RoundsStream stream(kSetting, rounds);
  stream.begin(Rng::stream(seed, Purpose::kTest, 0));
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < count; ++i) tokens.push_back(stream.next());
  return tokens;
}

TEST(Rounds, HaveNamesThatSayEverything) {
  for (const char* name : {"W2R8", "W1-4R2-16", "W1R1D1536E16", "W2-3R8D96E1"})
    EXPECT_EQ(parse_rounds(name).value().name(), name);
  EXPECT_EQ(parse_rounds("W2R8D96").value().wait_every, 16U);
  EXPECT_EQ(Rounds().name(), "W2R8");
}

TEST(Rounds, WithAnotherNameAreRefusedWithWhatIsExpected) {
  for (const char* name : {"", "W", "W2", "R8", "W0R8", "W2R0", "W02R8", "W4-2R8", "W2-2R8", "W2R8D", "W2R8D5-6",
                           "W2R8E4", "W2R8 ", "w2r8", "W2R1000001", "W2R99999999999999999999", "W2R8D96E0", "W-2R8"}) {
    const auto parsed = parse_rounds(name);
    ASSERT_FALSE(parsed) << name;
    EXPECT_EQ(parsed.error().kind(), ErrorKind::kUsage);
    EXPECT_THAT(parsed.error().message(), HasSubstr("W2R8 or W1-4R2-16"));
  }
}

TEST(RoundsStream, ExpectsWhatWasLastWrittenAndTellsItsAge) {
  std::map<int, int> held;
  std::map<int, std::pair<int, int>> written;  // how often, and in which segment last
  int segment = 0;
  bool writing = false;
  for (const Token& token : tokens_of(parse_rounds("W1-3R1-9D20E5").value(), 5000)) {
    if (token.is_write() && !writing) ++segment;
    writing = token.is_write();
    const int before = held.contains(token.address) ? held[token.address] : token.address;  // 8 values: its default
    auto& [times, last] = written[token.address];
    if (token.is_write()) {
      EXPECT_NE(token.value, before) << "a write changes something";
      EXPECT_LT(token.value, 8);
      held[token.address] = token.value;
      ++times;
      last = segment;
      EXPECT_EQ(token.label, -1);
      continue;
    }
    EXPECT_EQ(token.label, before);
    EXPECT_FALSE(token.final);
    if (token.group == Group::kFiller) continue;
    const Group expected = times == 0        ? Group::kDefault
                           : last == segment ? Group::kUpdated
                           : times == 1      ? Group::kRetained
                                             : Group::kRewritten;
    EXPECT_EQ(token.group, expected);
  }
  EXPECT_EQ(written.size(), 8U);
}

TEST(RoundsStream, HasRoundsOfTheAskedSizesAndWaitsBetweenThem) {
  const std::vector<Token> tokens = tokens_of(parse_rounds("W1-3R2-4D7E3").value(), 4000);
  std::set<std::size_t> writes, reads;
  std::size_t round = 0;
  for (std::size_t t = 0; t + 40 < tokens.size();) {
    std::size_t written = 0, asked = 0, waited = 0;
    for (; tokens[t].is_write(); ++t) ++written;
    for (; !tokens[t].is_write() && tokens[t].group != Group::kFiller; ++t) ++asked;
    for (; !tokens[t].is_write(); ++t) ++waited;
    writes.insert(written);
    reads.insert(asked);
    EXPECT_EQ(waited, ++round % 3 == 0 ? 7U : 0U);
  }
  EXPECT_EQ(writes, (std::set<std::size_t>{1, 2, 3}));
  EXPECT_EQ(reads, (std::set<std::size_t>{2, 3, 4}));
}

TEST(RoundsStream, AsksEveryAddressOnceWithoutChangingItsFuture) {
  RoundsStream stream(kSetting, {}), other(kSetting, {});
  stream.begin(Rng::stream(3, Purpose::kTest, 0));
  other.begin(Rng::stream(3, Purpose::kTest, 0));
  for (int i = 0; i < 100; ++i) {
    std::vector<Token> asked(8);
    stream.ask_all(Rng::stream(4, Purpose::kTest, 0), asked);
    std::set<int> addresses;
    for (const Token& token : asked) {
      EXPECT_TRUE(token.final);
      addresses.insert(token.address);
    }
    EXPECT_EQ(addresses.size(), 8U);
    EXPECT_EQ(stream.next(), other.next());
  }
  EXPECT_EQ(stream.writes(), 20);
  stream.begin(Rng::stream(3, Purpose::kTest, 0));
  EXPECT_EQ(stream.writes(), 0);
}

TEST(RoundsEpisode, IsSoManyInputsOfRoundsAndThenAllAddresses) {
  const TaskCase request{.setting = kSetting, .scenario = Scenario::kRounds, .delay = 57};
  std::vector<Token> tokens(episode_size(request).tokens());
  ASSERT_EQ(tokens.size(), 57U + 8U);
  EpisodeMaker(kSetting).make(request, {.seed = 1, .purpose = Purpose::kTest, .index = 0}, tokens);
  EXPECT_EQ(std::vector(tokens.begin(), tokens.begin() + 57), tokens_of({}, 57));
  std::map<int, int> held;
  for (const Token& token : tokens) {
    if (token.is_write()) held[token.address] = token.value;
    if (token.final) {
      EXPECT_EQ(token.label, held.contains(token.address) ? held[token.address] : token.address);
    }
  }
}

}  // namespace
}  // namespace schemamem
