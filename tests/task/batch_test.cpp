#include "task/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "support/random_cases.h"

namespace schemamem {
namespace {

using testing::ElementsAre;

/// Everything a batch says about one episode, as plain values.
struct Contents {
  std::vector<float> inputs, targets;
  std::vector<int> labels, groups, finals;
  std::vector<std::size_t> segments;

  friend bool operator==(const Contents&, const Contents&) = default;
};

Contents contents(const Batch& batch, std::size_t episode) {
  const EncodedTokens rows = batch.rows(episode);
  Contents result;
  result.inputs.assign(rows.inputs.data(), rows.inputs.data() + rows.inputs.size());
  result.targets.assign(rows.targets.data(), rows.targets.data() + rows.targets.size());
  result.labels.assign(rows.labels.begin(), rows.labels.end());
  for (const Group group : rows.groups) result.groups.push_back(static_cast<int>(group));
  result.finals.assign(rows.is_final.begin(), rows.is_final.end());
  const auto ends = batch.segments(episode).view();
  result.segments.assign(ends.begin(), ends.end());
  return result;
}

std::size_t total_tokens(const std::vector<TaskCase>& cases) {
  std::size_t total = 0;
  for (const TaskCase& request : cases) total += episode_size(request).tokens();
  return total;
}

std::vector<float> row(View<float, 2> rows, std::size_t t) { return {rows[t].begin(), rows[t].end()}; }

TEST(Encode, WritesBitsLeastSignificantFirstAndTheValidityBitLast) {
  const std::vector<Token> tokens{{.address = 6, .value = 5}, {.address = 3, .label = 9, .group = Group::kDefault}};
  Batch batch({3, 4}, 1, 100);
  batch.plan(std::vector{TaskCase{.setting = {3, 4}}});
  const EncodedTokens rows = batch.rows().slice(0, 2);
  encode({3, 4}, tokens, rows);
  EXPECT_THAT(row(rows.inputs, 0), ElementsAre(0, 1, 1, 1, 0, 1, 0, 1));
  EXPECT_THAT(row(rows.targets, 0), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(row(rows.inputs, 1), ElementsAre(1, 1, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(row(rows.targets, 1), ElementsAre(1, 0, 0, 1));
}

RC_GTEST_PROP(AnyBatch, HoldsEveryEpisodesBitsLabelsGroupsAndSegmentEnds, ()) {
  const Setting setting{*rc::gen::inRange(2, 7), *rc::gen::inRange(2, 9)};
  std::vector<TaskCase> cases = *rc::gen::container<std::vector<TaskCase>>(test::any_case());
  for (TaskCase& request : cases) request.setting = setting;
  const EpisodeAddress first = *test::any_address();
  Batch batch(setting, cases.size(), total_tokens(cases));
  ThreadPool pool(1);
  BatchFiller(setting, 2000, 1).fill(cases, first, pool, batch);

  RC_ASSERT(batch.episodes() == cases.size());
  RC_ASSERT(batch.tokens() == total_tokens(cases));
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EpisodeAddress address = first;
    address.index += i;
    const auto tokens = test::make_episode(cases[i], address);
    const EncodedTokens rows = batch.rows(i);
    RC_ASSERT(rows.size() == tokens.size());
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      int read_address = 0, read_value = 0, read_target = 0;
      for (int bit = 0; bit < setting.address_bits; ++bit)
        read_address += static_cast<int>(rows.inputs(t, static_cast<std::size_t>(bit))) << bit;
      for (int bit = 0; bit < setting.value_bits; ++bit) {
        read_value += static_cast<int>(rows.inputs(t, static_cast<std::size_t>(setting.address_bits + bit))) << bit;
        read_target += static_cast<int>(rows.targets(t, static_cast<std::size_t>(bit))) << bit;
      }
      const bool write = tokens[t].is_write();
      RC_ASSERT(read_address == tokens[t].address);
      RC_ASSERT(read_value == (write ? tokens[t].value : 0));
      RC_ASSERT(rows.inputs(t, setting.input_width() - 1) == (write ? 1.0F : 0.0F));
      RC_ASSERT(read_target == (write ? 0 : tokens[t].label));
      RC_ASSERT(rows.labels[t] == tokens[t].label);
      RC_ASSERT(rows.groups[t] == tokens[t].group);
      RC_ASSERT((rows.is_final[t] == 1) == tokens[t].final);
    }
    RC_ASSERT(batch.segments(i).end == segment_ends(tokens).end);
  }
}

TEST(Batch, EpisodeIIsTheSameForAnyBatchSizeAndNumberOfThreads) {
  const Setting setting{4, 3};
  std::vector<TaskCase> cases;
  for (std::size_t i = 0; i < 100; ++i) {
    const ScenarioInfo& scenario = all_scenarios()[i % all_scenarios().size()];
    cases.push_back({.setting = setting, .scenario = scenario.scenario, .delay = scenario.takes_delay() ? i : 0});
  }
  std::vector<Contents> expected;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    ThreadPool pool(1);
    Batch batch(setting, 1, 1000);
    BatchFiller(setting, 1000, 1).fill(std::span(cases).subspan(i, 1), {5, Purpose::kTest, i}, pool, batch);
    expected.push_back(contents(batch, 0));
  }
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    BatchFiller filler(setting, 1000, threads);
    for (const std::size_t size : {7U, 50U, 100U}) {
      Batch batch(setting, size, total_tokens(cases));
      for (std::size_t first = 0; first < cases.size(); first += size) {
        const std::size_t count = std::min(size, cases.size() - first);
        filler.fill(std::span(cases).subspan(first, count), {5, Purpose::kTest, first}, pool, batch);
        for (std::size_t i = 0; i < count; ++i)
          ASSERT_EQ(contents(batch, i), expected[first + i]) << threads << " threads, batches of " << size;
      }
    }
  }
}

TEST(Batch, RefusesWhatItHasNoRoomFor) {
  const TaskCase request{.setting = {3, 3}};
  Batch batch({3, 3}, 2, 24);
  EXPECT_NO_THROW(batch.plan(std::vector(2, request)));
  EXPECT_THROW(batch.plan(std::vector(3, request)), ContractViolation);
  EXPECT_THROW(Batch({3, 3}, 2, 23).plan(std::vector(2, request)), ContractViolation);
  EXPECT_THROW(batch.plan(std::vector{TaskCase{.setting = {3, 4}}}), ContractViolation);
  batch.plan(std::vector(1, request));
  EXPECT_THROW(batch.put(1, {}), ContractViolation);
  EXPECT_THROW(batch.put(0, {}), ContractViolation);
}

}  // namespace
}  // namespace schemamem
