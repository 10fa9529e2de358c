#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <set>

#include "support/thread_ranks.h"
#include "support/tiny_training.h"

namespace schemamem {
namespace {

using test::fingerprint;

const StopFlag kNever{false};

/// All phases with carried states, nine episodes a step, and a check between them.
TrainSetup every_phase(std::vector<std::string> overrides = {}) {
  std::vector<std::string> all{"batch.episodes=9",   "maintenance.delays=log-uniform",
                               "cooldown.steps=4",   "stillness.weights=[1,2,3]",
                               "lanes.steps=6",      "lanes.count=5",
                               "lanes.tokens=20",    "lanes.restart=0.2",
                               "validation.every=3", "validation.episodes=40",
                               "maintenance.limit=9"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  return test::tiny_setup(std::move(all));
}

/// A line for every step and check of some steps of each phase, and what the trainer is in the end.
std::string train(Trainer& trainer) {
  std::string lines;
  for (const std::size_t stage : test::phase_starts(trainer.curriculum())) {
    trainer.enter(stage);
    for (int i = 0; i < 4 && !trainer.ended(); ++i) {
      if (trainer.check_due()) {
        const Check check = trainer.check(kNever).value();
        for (const GroupScore& group : check.groups) lines += fmt::format("{}/{} ", group.right, group.asked);
        for (const double slots : check.slots_used) lines += fmt::format("{:a} ", slots);
      } else {
        const StepReport report = trainer.step(kNever).value();
        lines += fmt::format("{} {:a} {:a} {:a} {}\n", report.step, report.loss, report.gradient_norm, report.stillness,
                             report.right.value_or(-1));
      }
    }
    lines += fingerprint(trainer) + "\n";
  }
  return lines;
}

/// The same on so many ranks, which must all come to it.
std::string train_on(int ranks, const SequenceModel<float>& model, const TrainSetup& setup, int threads = 1) {
  std::mutex mutex;
  std::set<std::string> found;
  test::ThreadRanks(ranks).run([&](Ranks& own) {
    Trainer trainer(model, setup, threads, best_isa(), own);
    const std::string lines = train(trainer);
    const std::lock_guard lock(mutex);
    found.insert(lines);
  });
  EXPECT_EQ(found.size(), 1U) << "all ranks have the same";
  return *found.begin();
}

class RanksOfEveryModel : public testing::TestWithParam<std::string> {};

TEST_P(RanksOfEveryModel, TrainToTheSameBitsForAnyNumberOfThem) {
  const auto model = test::tiny_model(GetParam());
  Trainer trainer(*model, every_phase(), 1);
  const std::string expected = train(trainer);
  for (const int ranks : {2, 3, 4, 8, 11})  // more than the eight shards: some have nothing to do
    EXPECT_EQ(train_on(ranks, *model, every_phase()), expected) << ranks << " ranks";
  EXPECT_EQ(train_on(2, *model, every_phase(), 2), expected) << "two ranks of two threads";
}

TEST_P(RanksOfEveryModel, AnotherNumberOfShardsIsTheSameForAnyNumberOfRanksToo) {
  const auto model = test::tiny_model(GetParam());
  Trainer eight(*model, every_phase(), 1), trainer(*model, every_phase({"batch.shards=5"}), 2);
  const std::string expected = train(trainer);
  EXPECT_NE(expected, train(eight));
  for (const int ranks : {2, 5}) EXPECT_EQ(train_on(ranks, *model, every_phase({"batch.shards=5"})), expected);
}

INSTANTIATE_TEST_SUITE_P(Models, RanksOfEveryModel, testing::ValuesIn(model_names()),
                         [](const auto& tested) { return tested.param; });

TEST(TrainerOnRanks, OneThatIsAskedToStopStopsAllOfThemWithNothingChanged) {
  const auto model = test::tiny_model();
  test::ThreadRanks(3).run([&](Ranks& ranks) {
    Trainer trainer(*model, every_phase(), 1, best_isa(), ranks);
    trainer.step(kNever).value();
    const std::string before = fingerprint(trainer);
    const StopFlag stop{ranks.mine() == 2};
    EXPECT_EQ(trainer.step(stop).error().kind(), ErrorKind::kInterrupted);
    EXPECT_EQ(fingerprint(trainer), before);
    while (!trainer.check_due()) trainer.step(kNever).value();
    EXPECT_EQ(trainer.check(stop).error().kind(), ErrorKind::kInterrupted);
    EXPECT_TRUE(trainer.check(kNever));
  });
}

TEST(TrainerOnRanks, ACheckFindsARankThatComputesOtherBits) {
  const auto model = test::tiny_model();
  test::ThreadRanks(3).run([&](Ranks& ranks) {
    TrainSetup setup = every_phase();
    if (ranks.mine() == 1) setup.recipe.optimizer.scale += 1e-3;  // as if its machine rounded differently
    Trainer trainer(*model, setup, 1, best_isa(), ranks);
    while (!trainer.check_due()) trainer.step(kNever).value();
    const auto check = trainer.check(kNever);
    ASSERT_FALSE(check);
    EXPECT_THAT(check.error().message(), testing::HasSubstr("rank 1 has other weights than rank 0"));
  });
}

TEST(Shards, AreNoMoreThanTheEpisodesOfABatchUnlessAsManyAsByDefault) {
  const auto message = [](std::vector<std::string> overrides) {
    const Status status = check_shards(test::tiny_setup(std::move(overrides)).recipe);
    return status ? std::string("fits") : status.error().message();
  };
  EXPECT_EQ(message({"batch.episodes=4"}), "fits");
  EXPECT_EQ(message({"batch.episodes=64", "batch.shards=64"}), "fits");
  EXPECT_EQ(message({"batch.episodes=64", "batch.shards=1"}), "fits");
  EXPECT_THAT(message({"batch.episodes=63", "batch.shards=64"}),
              testing::HasSubstr("batch.shards is 64, more than the 63 episodes"));
}

}  // namespace
}  // namespace schemamem
