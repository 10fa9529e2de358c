#include "task/address_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "models/schemamem/chunks.h"
#include "support/random_cases.h"
#include "task/batch.h"
#include "task/evaluation_episodes.h"
#include "task/registry.h"

namespace schemamem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(AddressValueTask, SaysWhatItsSettingAsksOfAModel) {
  const auto task = make_task("address-value", "A3V4");
  ASSERT_TRUE(task) << task.error().message();
  EXPECT_EQ((*task)->name(), "address-value");
  EXPECT_EQ((*task)->setting(), "A3V4");
  const TaskShape expected{
      .inputs = 8, .symbols = false, .outputs = 4, .answer = AnswerKind::kBits, .marks = MarkRule::kValidity};
  EXPECT_EQ((*task)->shape(), expected);
  EXPECT_EQ((*task)->shape().row_width(), 8U);
  EXPECT_EQ((*task)->protocol(), Protocol::kPaper);
  EXPECT_THAT((*task)->levels(), testing::IsEmpty());
}

TEST(AddressValueTask, HasTheGroupsAndScenariosOfThePaperAndRounds) {
  const AddressValueTask task({3, 3});
  EXPECT_THAT(task.groups(), ElementsAre("retained", "updated", "default", "filler", "rewritten"));
  EXPECT_THAT(task.scenarios(), ElementsAre("transaction-quarter", "transaction-half", "transaction-full", "immediate",
                                            "retention", "interference", "overwrite", "rounds"));
  for (const ScenarioInfo& scenario : all_scenarios()) {
    const std::size_t number = task.find_scenario(scenario.name).value();
    EXPECT_EQ(number, episode_case(scenario.scenario).scenario);
    std::vector<std::int8_t> scored;
    for (const Group group : scenario.scored) scored.push_back(static_cast<std::int8_t>(group));
    EXPECT_THAT(task.scored(number), testing::ElementsAreArray(scored)) << scenario.name;
  }
  const auto unknown = task.find_scenario("retenton");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind(), ErrorKind::kUsage);
  EXPECT_THAT(unknown.error().message(),
              testing::AllOf(HasSubstr("Unknown scenario \"retenton\" of the task address-value"),
                             HasSubstr("Did you mean \"retention\"?")));
}

TEST(AddressValueTask, RefusesCasesAsTheirCheckDoes) {
  const AddressValueTask task({3, 3});
  EXPECT_TRUE(task.check(episode_case(Scenario::kRetention, 96)));
  EXPECT_THAT(task.check(episode_case(Scenario::kImmediate, 96)).error().message(), HasSubstr("has no delay"));
  EXPECT_THROW(AddressValueTask({1, 3}), ContractViolation);
}

RC_GTEST_PROP(AnyAddressValueEpisode, HasTheMarksOfTheValidityRule, ()) {
  const TaskCase drawn = *test::any_case();
  const AddressValueTask task(drawn.setting);
  const std::vector<EpisodeCase> cases{episode_case(drawn.scenario, drawn.delay)};
  Batch batch(task.shape(), 1, task.tokens(cases[0]));
  batch.fill(task, *task.source(), cases, *test::any_address());
  const EpisodeRows rows = batch.rows();
  const auto expected = validity_marks<float>(rows.inputs);
  RC_ASSERT(std::ranges::equal(rows.marks, expected));
}

RC_GTEST_PROP(AnyAddressValueEpisode, IsCutByItsMarksIntoAtMostTheChunksThatItsTaskTells, ()) {
  const TaskCase drawn = *test::any_case();
  const AddressValueTask task(drawn.setting);
  const std::vector<EpisodeCase> cases{episode_case(drawn.scenario, drawn.delay)};
  Batch batch(task.shape(), 1, task.tokens(cases[0]));
  batch.fill(task, *task.source(), cases, *test::any_address());
  std::vector<Chunk> chunks;
  cut_into_chunks(batch.tokens(), batch.rows().marks, batch.tokens(), false, false, chunks);
  RC_ASSERT(chunks.size() == task.marked_chunks(cases[0]));
  const auto commit_every = *rc::gen::inRange<std::size_t>(1, 200);
  cut_into_chunks(batch.tokens(), batch.rows().marks, commit_every, false, false, chunks);
  RC_ASSERT(chunks.size() <= task.marked_chunks(cases[0]) + batch.tokens() / commit_every);
}

TEST(AddressValueTask, ItsPublishedEpisodesAreThoseOfThePaperEncoded) {
  const AddressValueTask task({3, 3});
  for (const EpisodeCase& request : {episode_case(Scenario::kImmediate), episode_case(Scenario::kOverwrite, 32)}) {
    constexpr std::size_t kCount = 130;  // more than one batch of random numbers
    const auto published = task.published(request, kCount);
    ASSERT_NE(published, nullptr);
    EvaluationEpisodes expected(task.case_of(request), {.episodes = kCount});
    const Batch found(task.shape(), 1, task.tokens(request)), encoded(task.shape(), 1, task.tokens(request));
    for (std::size_t i = 0; i < kCount; ++i) {
      published->next(found.all());
      encode(task.database(), expected.next(), encoded.all());
      EXPECT_TRUE(std::ranges::equal(std::span(found.all().inputs.data(), found.all().inputs.size()),
                                     std::span(encoded.all().inputs.data(), encoded.all().inputs.size())));
      EXPECT_THAT(found.all().labels, testing::ElementsAreArray(encoded.all().labels));
      EXPECT_THAT(found.all().groups, testing::ElementsAreArray(encoded.all().groups));
      EXPECT_THAT(found.all().is_final, testing::ElementsAreArray(encoded.all().is_final));
      EXPECT_THAT(found.all().marks, testing::ElementsAreArray(encoded.all().marks));
    }
  }
  EXPECT_EQ(task.published(episode_case(Scenario::kTransactionHalf), 1), nullptr) << "the paper has none";
}

TEST(TaskRegistry, AnUnknownTaskIsRefusedWithASuggestion) {
  const auto task = make_task("mqra", "V64L16P2");
  ASSERT_FALSE(task);
  EXPECT_EQ(task.error().kind(), ErrorKind::kUsage);
  EXPECT_EQ(task.error().message(),
            "Unknown task \"mqra\": expected one of address-value, mqar. Did you mean \"mqar\"?");
}

TEST(TaskRegistry, EveryTaskIsMadeFromItsExampleAndCallsItselfByItsName) {
  for (const TaskEntry& entry : task_entries()) {
    const auto task = make_task(entry.name, entry.example);
    ASSERT_TRUE(task) << task.error().message();
    EXPECT_EQ((*task)->name(), entry.name);
    EXPECT_EQ((*task)->setting(), entry.example);
    EXPECT_EQ(make_task(entry.name, "nonsense").error().kind(), ErrorKind::kUsage) << entry.name;
  }
}

TEST(AnswerOf, ReadsBitsThatAreNotNegativeOrTheFirstLargestClass) {
  std::vector<float> outputs{0.0F, -1.0F, 2.0F};
  const View<const float, 1> row = view_of(std::span<const float>(outputs));
  EXPECT_EQ(answer_of(AnswerKind::kBits, row), 0b101);
  EXPECT_EQ(answer_of(AnswerKind::kClass, row), 2);
  outputs = {1, 3, 3};
  EXPECT_EQ(answer_of(AnswerKind::kClass, row), 1);
}

}  // namespace
}  // namespace schemamem
