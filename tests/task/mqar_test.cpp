#include "task/mqar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "support/random_cases.h"
#include "task/batch.h"

namespace schemamem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string message(const std::string& name) {
  const auto setting = parse_mqar_setting(name);
  EXPECT_FALSE(setting) << name;
  if (setting) return {};
  EXPECT_EQ(setting.error().kind(), ErrorKind::kUsage);
  return setting.error().message();
}

/// One episode, with the memory it lies in.
struct Made {
  Made(const MqarTask& task, const EpisodeCase& request, const EpisodeAddress& address)
      : batch(task.shape(), 1, task.tokens(request)), rows(batch.all()) {
    task.source()->make(request, address, rows);
  }
  int symbol(std::size_t t) const { return static_cast<int>(rows.inputs(t, 0)); }

  Batch batch;
  EpisodeRows rows;
};

TEST(MqarSetting, EveryNameIsReadAndWrittenBack) {
  for (const char* name : {"V8192L64P8", "V8L4P1", "V8L12P3", "V1048576L65536P1024", "V64L64P16G50", "V64L64P16G100"})
    EXPECT_EQ(parse_mqar_setting(name).value().name(), name);
  const MqarSetting expected{.vocabulary = 512, .length = 32, .pairs = 4, .gap_percent = 100};
  EXPECT_EQ(parse_mqar_setting("V512L32P4G100").value(), expected);
  EXPECT_EQ(parse_mqar_setting("V512L32P4G1").value().name(), "V512L32P4") << "the published gaps are not told";
}

TEST(MqarSetting, ANameOfAnotherFormIsRefusedWithTheForm) {
  for (const char* name : {"", "V64", "V64L16", "V64L16P", "L16P2V64", "v64l16p2", "V64L16P2 ", "V064L16P2", "V64L16P0",
                           "V-64L16P2", "V64L16P2G", "V64L16P2G0", "V64L16P2X3", "A3V3", "V99999999999999999999L16P2"})
    EXPECT_THAT(message(name),
                HasSubstr("of the task mqar: expected V<vocabulary>L<length>P<pairs>, such as V8192L64P8"))
        << name;
}

TEST(MqarSetting, SizesOutOfRangeAreNamed) {
  for (const char* name : {"V6L16P2", "V65L16P2", "V1048578L16P2"})
    EXPECT_THAT(message(name), HasSubstr("the vocabulary V is an even number from 8 to 1048576")) << name;
  for (const char* name : {"V64L17P2", "V64L65538P2"})
    EXPECT_THAT(message(name), HasSubstr("the length L is an even number up to 65536")) << name;
  for (const char* name : {"V64L16P5", "V8192L65536P1025"})
    EXPECT_THAT(message(name), HasSubstr("there are at most L / 4 pairs P, and at most 1024")) << name;
  EXPECT_EQ(message("V8L16P4"),
            "Setting \"V8L16P4\" of the task mqar: there are at most V / 2 - 1 pairs P, because every key is another "
            "symbol of the lower half.");
  EXPECT_THAT(message("V64L16P2G1001"), HasSubstr("100 times the power of the gaps, G, is at most 1000"));
}

TEST(MqarTask, SaysWhatItAsksOfAModel) {
  const MqarTask task({.vocabulary = 64, .length = 32, .pairs = 8});
  const TaskShape expected{
      .inputs = 64, .symbols = true, .outputs = 64, .answer = AnswerKind::kClass, .marks = MarkRule::kNone};
  EXPECT_EQ(task.shape(), expected);
  EXPECT_EQ(task.shape().row_width(), 1U);
  EXPECT_EQ(task.protocol(), Protocol::kLevels);
  EXPECT_EQ(task.setting(), "V64L32P8");
  EXPECT_THAT(task.groups(), ElementsAre("early", "late"));
  EXPECT_EQ(task.find_scenario("pairs-7").value(), mqar_case(7, 0).scenario);
  EXPECT_THAT(task.scored(mqar_case(1, 8).scenario), ElementsAre(1)) << "a single pair is a late one";
  EXPECT_THAT(task.scored(mqar_case(2, 8).scenario), ElementsAre(0, 1));
}

TEST(MqarTask, ItsLevelsDoubleThePairsAndKeepTheEasierOnes) {
  const auto pairs = [](const std::vector<EpisodeCase>& cases) {
    std::vector<std::size_t> all;
    for (const EpisodeCase& one : cases) all.push_back(one.scenario + 1);
    return all;
  };
  const auto levels = MqarTask({.vocabulary = 64, .length = 64, .pairs = 12}).levels();
  ASSERT_EQ(levels.size(), 4U);
  EXPECT_THAT(pairs(levels[0]), ElementsAre(2));
  EXPECT_THAT(pairs(levels[3]), ElementsAre(2, 4, 8, 12));
  for (const EpisodeCase& one : levels[3]) EXPECT_EQ(one.delay, 64U);
  EXPECT_THAT(pairs(MqarTask({.vocabulary = 64, .length = 4, .pairs = 1}).levels().back()), ElementsAre(1));
}

TEST(MqarTask, EvaluatesWhatItTrainedAndLongerEpisodesAsFarAsThereAreKeys) {
  EXPECT_THAT(MqarTask({.vocabulary = 64, .length = 16, .pairs = 4}).evaluated(),
              ElementsAre(mqar_case(2, 16), mqar_case(4, 16), mqar_case(4, 32), mqar_case(8, 32), mqar_case(4, 64),
                          mqar_case(16, 64)));
  EXPECT_THAT(MqarTask({.vocabulary = 16, .length = 16, .pairs = 4}).evaluated(),
              ElementsAre(mqar_case(2, 16), mqar_case(4, 16), mqar_case(4, 32), mqar_case(4, 64)));
}

TEST(MqarTask, RefusesCasesWithoutEpisodes) {
  const MqarTask task({.vocabulary = 16, .length = 16, .pairs = 4});
  EXPECT_TRUE(task.check(mqar_case(7, 28)));
  EXPECT_EQ(task.check(mqar_case(8, 64)).error().message(),
            "8 pairs need as many different keys; a vocabulary of 16 has 7.");
  for (const std::size_t length : {26U, 29U, 65'538U}) {
    const Status refused = task.check(mqar_case(7, length));
    ASSERT_FALSE(refused) << length;
    EXPECT_EQ(refused.error().kind(), ErrorKind::kUsage);
    EXPECT_THAT(refused.error().message(), HasSubstr("7 pairs take an even length from 28 to 65536, found ")) << length;
  }
}

RC_GTEST_PROP(AnyMqarEpisode, FollowsThePublishedRule, ()) {
  const std::size_t vocabulary = 2 * *rc::gen::inRange<std::size_t>(4, 600);
  const std::size_t pairs = *rc::gen::inRange<std::size_t>(1, std::min<std::size_t>(vocabulary / 2, 40));
  const std::size_t length = 4 * pairs + 2 * *rc::gen::inRange<std::size_t>(0, 60);
  const MqarTask task({.vocabulary = vocabulary,
                       .length = length,
                       .pairs = pairs,
                       .gap_percent = *rc::gen::element<std::size_t>(1, 50, 100, 300)});
  const EpisodeCase request = mqar_case(pairs, length);
  RC_ASSERT(static_cast<bool>(task.check(request)));
  const Made made(task, request, *test::any_address());
  const EpisodeRows& rows = made.rows;
  const int half = static_cast<int>(vocabulary) / 2;

  std::map<int, int> value_of;
  std::map<int, std::size_t> place_of;
  for (std::size_t i = 0; i < pairs; ++i) {
    const int key = made.symbol(2 * i), value = made.symbol(2 * i + 1);
    RC_ASSERT(key >= 1 && key < half);
    RC_ASSERT(value >= half && value < 2 * half);
    RC_ASSERT(value_of.emplace(key, value).second);
    place_of[key] = i;
  }
  std::set<int> asked;
  for (std::size_t t = 0; t < length; ++t) {
    RC_ASSERT(made.symbol(t) >= 0 && made.symbol(t) < 2 * half);
    RC_ASSERT(ends_chunk(rows.marks[t]) == (t == 2 * pairs));
    RC_ASSERT(reads(rows.marks[t]) == (t >= 2 * pairs));
    if (rows.labels[t] == EpisodeRows::kNoLabel) {
      RC_ASSERT(rows.weights[t] == 0 && rows.groups[t] == EpisodeRows::kNoGroup && rows.is_final[t] == 0);
      continue;
    }
    RC_ASSERT(t >= 2 * pairs && t % 2 == 0);
    RC_ASSERT(value_of.contains(made.symbol(t)));
    RC_ASSERT(rows.labels[t] == value_of.at(made.symbol(t)));
    RC_ASSERT(asked.insert(made.symbol(t)).second);
    RC_ASSERT(rows.weights[t] == 1 && rows.is_final[t] == 1);
    const std::size_t place = place_of.at(made.symbol(t));
    RC_ASSERT(rows.groups[t] == (2 * (place + 1) <= pairs ? 0 : 1));
    const auto scored = task.scored(request.scenario);
    RC_ASSERT(std::ranges::find(scored, rows.groups[t]) != scored.end());
  }
  RC_ASSERT(asked.size() == pairs);
}

/// The largest deviation that chance explains, of counts with these expectations.
void expect_counts(const std::vector<double>& counts, const std::vector<double>& expected) {
  double chi_squared = 0;
  for (std::size_t i = 0; i < counts.size(); ++i)
    chi_squared += (counts[i] - expected[i]) * (counts[i] - expected[i]) / expected[i];
  const double freedom = static_cast<double>(counts.size()) - 1;  // mean of chi squared; its variance is twice that
  EXPECT_LE(chi_squared, freedom + 5 * std::sqrt(2 * freedom));
}

TEST(MqarTask, GapsFollowThePowerLaw) {
  constexpr std::size_t kLength = 34, kSpace = 16, kEpisodes = 20'000;
  for (const std::size_t percent : {1U, 50U, 100U, 200U}) {
    SCOPED_TRACE(percent);
    const MqarTask task({.vocabulary = 16, .length = kLength, .pairs = 1, .gap_percent = percent});
    const auto source = task.source();
    const Batch batch(task.shape(), 1, kLength);
    std::vector<double> counts(kSpace), expected(kSpace);
    for (std::uint64_t i = 0; i < kEpisodes; ++i) {
      source->make(mqar_case(1, kLength), {5, Purpose::kTest, i}, batch.all());
      for (std::size_t g = 0; g < kSpace; ++g) counts[g] += batch.all().labels[2 + 2 * g] >= 0 ? 1 : 0;
    }
    double total = 0;
    for (std::size_t g = 0; g < kSpace; ++g)
      total += expected[g] = std::pow(static_cast<double>(g + 1), 0.01 * static_cast<double>(percent) - 1);
    for (double& one : expected) one *= kEpisodes / total;
    expect_counts(counts, expected);
  }
}

TEST(MqarTask, GapsAreDrawnWithoutReplacementEachAmongThoseThatAreLeft) {
  // Two questions in three places: P(first g, then h) = w_g / W * w_h / (W - w_g).
  constexpr std::size_t kEpisodes = 30'000;
  const MqarTask task({.vocabulary = 16, .length = 10, .pairs = 2, .gap_percent = 50});
  const auto source = task.source();
  const Batch batch(task.shape(), 1, 10);
  std::map<std::pair<std::size_t, std::size_t>, double> seen;
  for (std::uint64_t i = 0; i < kEpisodes; ++i) {
    source->make(mqar_case(2, 10), {6, Purpose::kTest, i}, batch.all());
    std::size_t first = 0, second = 0;
    for (std::size_t g = 0; g < 3; ++g) {
      const std::size_t t = 4 + 2 * g;
      if (batch.all().labels[t] < 0) continue;
      (batch.all().inputs(t, 0) == batch.all().inputs(0, 0) ? first : second) = g;
    }
    ++seen[{first, second}];
  }
  const std::vector<double> w{1, 1 / std::sqrt(2), 1 / std::sqrt(3)};
  std::vector<double> counts, expected;
  for (std::size_t g = 0; g < 3; ++g) {
    for (std::size_t h = 0; h < 3; ++h) {
      if (g == h) continue;
      counts.push_back(seen[{g, h}]);
      const double all = w[0] + w[1] + w[2];
      expected.push_back(kEpisodes * w[g] / all * w[h] / (all - w[g]));
    }
  }
  expect_counts(counts, expected);
}

TEST(MqarTask, UsesEveryKeyAndEveryValueEquallyOften) {
  constexpr std::size_t kEpisodes = 20'000;
  const MqarTask task({.vocabulary = 16, .length = 8, .pairs = 2});
  const auto source = task.source();
  const Batch batch(task.shape(), 1, 8);
  std::vector<double> keys(7), values(8);
  for (std::uint64_t i = 0; i < kEpisodes; ++i) {
    source->make(mqar_case(2, 8), {7, Purpose::kTest, i}, batch.all());
    ++keys.at(static_cast<std::size_t>(batch.all().inputs(0, 0)) - 1);
    ++values.at(static_cast<std::size_t>(batch.all().inputs(1, 0)) - 8);
  }
  expect_counts(keys, std::vector<double>(7, kEpisodes / 7.0));
  expect_counts(values, std::vector<double>(8, kEpisodes / 8.0));
}

TEST(MqarTask, EpisodeIIsTheSameForAnyBatchAndAnotherForAnotherAddress) {
  const MqarTask task({.vocabulary = 64, .length = 32, .pairs = 8});
  std::vector<EpisodeCase> cases;
  for (std::size_t i = 0; i < 20; ++i) cases.push_back(mqar_case(1 + i % 8, 32 + 2 * (i % 3)));
  Batch batch(task.shape(), cases.size(), cases.size() * 40);
  batch.fill(task, *task.source(), cases, {9, Purpose::kTest, 100});
  const auto symbols = [](const EpisodeRows& rows) {
    return std::vector<float>(rows.inputs.data(), rows.inputs.data() + rows.inputs.size());
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Made alone(task, cases[i], {9, Purpose::kTest, 100 + i});
    EXPECT_EQ(symbols(batch.rows(i)), symbols(alone.rows)) << i;
    EXPECT_THAT(batch.rows(i).labels, testing::ElementsAreArray(alone.rows.labels)) << i;
    EXPECT_NE(symbols(alone.rows), symbols(Made(task, cases[i], {9, Purpose::kTest, 200 + i}).rows));
    EXPECT_NE(symbols(alone.rows), symbols(Made(task, cases[i], {10, Purpose::kTest, 100 + i}).rows));
    EXPECT_NE(symbols(alone.rows), symbols(Made(task, cases[i], {9, Purpose::kTrainEpisode, 100 + i}).rows));
  }
}

TEST(MqarTask, MakesTheSameEpisodeForever) {
  // A change here makes every earlier training run unrepeatable.
  const MqarTask task({.vocabulary = 16, .length = 16, .pairs = 3});
  const Made made(task, mqar_case(3, 16), {42, Purpose::kTrainEpisode, 7});
  std::vector<int> symbols;
  for (std::size_t t = 0; t < 16; ++t) symbols.push_back(made.symbol(t));
  EXPECT_THAT(symbols, ElementsAre(1, 9, 7, 14, 2, 12, 1, 11, 2, 12, 7, 2, 9, 14, 14, 0));
  EXPECT_THAT(made.rows.labels, ElementsAre(-1, -1, -1, -1, -1, -1, 9, -1, 12, -1, 14, -1, -1, -1, -1, -1));
  EXPECT_THAT(made.rows.groups, ElementsAre(-1, -1, -1, -1, -1, -1, 0, -1, 1, -1, 1, -1, -1, -1, -1, -1));
}

}  // namespace
}  // namespace schemamem
