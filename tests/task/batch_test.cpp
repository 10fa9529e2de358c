#include "task/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "support/random_cases.h"
#include "task/address_value.h"

namespace schemamem {
namespace {

using testing::ElementsAre;

/// Everything a batch says about one episode, as plain values.
struct Contents {
  std::vector<float> inputs, weights;
  std::vector<int> labels, groups, finals;
  std::vector<RowMark> marks;

  friend bool operator==(const Contents&, const Contents&) = default;
};

Contents contents(const Batch& batch, std::size_t episode) {
  const EpisodeRows rows = batch.rows(episode);
  Contents result;
  result.inputs.assign(rows.inputs.data(), rows.inputs.data() + rows.inputs.size());
  result.weights.assign(rows.weights.begin(), rows.weights.end());
  result.labels.assign(rows.labels.begin(), rows.labels.end());
  result.groups.assign(rows.groups.begin(), rows.groups.end());
  result.finals.assign(rows.is_final.begin(), rows.is_final.end());
  result.marks.assign(rows.marks.begin(), rows.marks.end());
  return result;
}

std::size_t total_tokens(const Task& task, const std::vector<EpisodeCase>& cases) {
  std::size_t total = 0;
  for (const EpisodeCase& request : cases) total += task.tokens(request);
  return total;
}

std::vector<float> row(View<float, 2> rows, std::size_t t) { return {rows[t].begin(), rows[t].end()}; }

TEST(Encode, WritesBitsLeastSignificantFirstAndTheValidityBitLast) {
  const std::vector<Token> tokens{{.address = 6, .value = 5}, {.address = 3, .label = 9, .group = Group::kDefault}};
  const AddressValueTask task({3, 4});
  const Batch batch(task.shape(), 1, 2);
  const EpisodeRows& rows = batch.all();
  encode({3, 4}, tokens, rows);
  EXPECT_THAT(row(rows.inputs, 0), ElementsAre(0, 1, 1, 1, 0, 1, 0, 1));
  EXPECT_THAT(row(rows.inputs, 1), ElementsAre(1, 1, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(rows.labels, ElementsAre(EpisodeRows::kNoLabel, 9));
  EXPECT_THAT(rows.weights, ElementsAre(0, 1));
  EXPECT_THAT(rows.marks, ElementsAre(RowMark::kNone, RowMark::kEndsChunkReads));
}

TEST(Encode, APieceOfAnEpisodeIsMarkedAsBehindWhatCameBefore) {
  const std::vector<Token> tokens{{.address = 3, .label = 3, .group = Group::kDefault}};
  const Batch batch(AddressValueTask({3, 4}).shape(), 1, 1);
  for (const auto& [last, expected] : {std::pair{LastRow::kNone, RowMark::kReads},
                                       {LastRow::kRead, RowMark::kReads},
                                       {LastRow::kWrite, RowMark::kEndsChunkReads}}) {
    encode({3, 4}, tokens, last, batch.all());
    EXPECT_EQ(batch.all().marks[0], expected) << static_cast<int>(last);
  }
}

RC_GTEST_PROP(AnyBatch, HoldsEveryEpisodesBitsLabelsGroupsAndSegmentEnds, ()) {
  const Setting setting{*rc::gen::inRange(2, 7), *rc::gen::inRange(2, 9)};
  const AddressValueTask task(setting);
  std::vector<EpisodeCase> cases;
  for (const TaskCase& drawn : *rc::gen::container<std::vector<TaskCase>>(test::any_case()))
    cases.push_back(episode_case(drawn.scenario, drawn.delay));
  const EpisodeAddress first = *test::any_address();
  Batch batch(task.shape(), cases.size(), total_tokens(task, cases));
  batch.fill(task, *task.source(), cases, first);

  RC_ASSERT(batch.episodes() == cases.size());
  RC_ASSERT(batch.tokens() == total_tokens(task, cases));
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EpisodeAddress address = first;
    address.index += i;
    const auto tokens = test::make_episode(task.case_of(cases[i]), address);
    const EpisodeRows rows = batch.rows(i);
    RC_ASSERT(rows.size() == tokens.size());
    std::vector<std::size_t> ends;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      int read_address = 0, read_value = 0;
      for (int bit = 0; bit < setting.address_bits; ++bit)
        read_address += static_cast<int>(rows.inputs(t, static_cast<std::size_t>(bit))) << bit;
      for (int bit = 0; bit < setting.value_bits; ++bit)
        read_value += static_cast<int>(rows.inputs(t, static_cast<std::size_t>(setting.address_bits + bit))) << bit;
      const bool write = tokens[t].is_write();
      RC_ASSERT(read_address == tokens[t].address);
      RC_ASSERT(read_value == (write ? tokens[t].value : 0));
      RC_ASSERT(rows.inputs(t, setting.input_width() - 1) == (write ? 1.0F : 0.0F));
      RC_ASSERT(rows.labels[t] == tokens[t].label);
      RC_ASSERT(rows.weights[t] == (write ? 0.0F : 1.0F));
      RC_ASSERT(rows.groups[t] == static_cast<std::int8_t>(tokens[t].group));
      RC_ASSERT((rows.is_final[t] == 1) == tokens[t].final);
      RC_ASSERT(reads(rows.marks[t]) == !write);
      if (ends_chunk(rows.marks[t])) ends.push_back(t);
    }
    ends.push_back(tokens.size());
    RC_ASSERT(ends == segment_ends(tokens));
  }
}

TEST(Batch, EpisodeIIsTheSameForAnyBatchSize) {
  const AddressValueTask task({4, 3});
  std::vector<EpisodeCase> cases;
  for (std::size_t i = 0; i < 100; ++i) {
    const ScenarioInfo& scenario = all_scenarios()[i % all_scenarios().size()];
    cases.push_back(episode_case(scenario.scenario, scenario.takes_delay() ? i : 0));
  }
  const auto source = task.source();
  std::vector<Contents> expected;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Batch batch(task.shape(), 1, 1000);
    batch.fill(task, *source, std::span(cases).subspan(i, 1), {5, Purpose::kTest, i});
    expected.push_back(contents(batch, 0));
  }
  for (const std::size_t size : {7U, 50U, 100U}) {
    Batch batch(task.shape(), size, total_tokens(task, cases));
    for (std::size_t first = 0; first < cases.size(); first += size) {
      const std::size_t count = std::min(size, cases.size() - first);
      batch.fill(task, *source, std::span(cases).subspan(first, count), {5, Purpose::kTest, first});
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(contents(batch, i), expected[first + i]) << "batches of " << size;
    }
  }
}

TEST(Batch, RefusesWhatItHasNoRoomFor) {
  const AddressValueTask task({3, 3});
  const EpisodeCase request = episode_case(Scenario::kImmediate);
  Batch batch(task.shape(), 2, 24);
  EXPECT_NO_THROW(batch.plan(task, std::vector(2, request)));
  EXPECT_THROW(batch.plan(task, std::vector(3, request)), ContractViolation);
  EXPECT_THROW(Batch(task.shape(), 2, 23).plan(task, std::vector(2, request)), ContractViolation);
  EXPECT_THROW(batch.plan(AddressValueTask({3, 4}), std::vector{request}), ContractViolation);
}

TEST(Batch, ASourceRefusesRowsOfAnotherLength) {
  const AddressValueTask task({3, 3});
  const Batch batch(task.shape(), 1, 13);
  EXPECT_THROW(task.source()->make(episode_case(Scenario::kImmediate), {}, batch.all()), ContractViolation);
}

}  // namespace
}  // namespace schemamem
