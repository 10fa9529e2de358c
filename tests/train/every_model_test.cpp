#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.h"
#include "support/tiny_training.h"
#include "train/checkpoint.h"

namespace schemamem {
namespace {

using test::fingerprint;
using test::tiny_model;
using test::tiny_setup;

const StopFlag kNever{false};

/// All phases with nine episodes a step, so that every shard has work.
TrainSetup every_phase(const test::TinyTask& task, std::vector<std::string> overrides = {}) {
  std::vector<std::string> all{
      "batch.episodes=9",   "maintenance.delays=log-uniform", "stillness.weights=[1,2,3]", "stillness.cooldown=1",
      "stillness.levels=1", "levels.history_every=3",         "optimizer.renew=true",      "cooldown.steps=1000"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  return tiny_setup(std::move(all), task);
}

/// Every number that a step reports, to the last bit.
std::string line_of(const StepReport& report) {
  return fmt::format("{} {:a} {:a} {:a} {:a} {}\n", report.step, report.loss, report.gradient_norm, report.rate,
                     report.stillness, report.tokens);
}

/// A model and what it is trained for.
struct Pairing {
  std::string model;
  test::TinyTask task;
};
void PrintTo(const Pairing& pairing, std::ostream* out) { *out << pairing.model << " on " << pairing.task.name; }
std::vector<Pairing> every_pairing() {
  std::vector<Pairing> all;
  for (const std::string& model : model_names()) {
    all.push_back({model, {}});
    all.push_back({model, test::kTinyRecall});
  }
  return all;
}

class TrainingOfEveryModel : public testing::TestWithParam<Pairing> {};

TEST_P(TrainingOfEveryModel, IsTheSameFor1To8ThreadsAfter300StepsInAllPhases) {
  constexpr std::int64_t kSteps = 300;
  const auto model = tiny_model(GetParam().model, GetParam().task);
  std::string expected;
  const bool is_recall = GetParam().task.name == test::kTinyRecall.name;
  for (const int threads : is_recall ? std::vector{1, 3, 8} : std::vector{1, 2, 3, 4, 7, 8}) {
    Trainer trainer(*model,
                    every_phase(GetParam().task, {"validation.every=1000", "transactions.limit=1000",
                                                  "maintenance.limit=1000", "levels.limit=1000"}),
                    threads);
    const auto starts = test::phase_starts(trainer.curriculum());
    std::string metrics;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      trainer.enter(starts[i]);
      // Long episodes cost most: a tenth of the steps is theirs in each of the last two phases.
      const bool is_long = i + 2 >= starts.size();
      const std::int64_t last =
          is_long ? kSteps - kSteps / 10 * static_cast<std::int64_t>(starts.size() - 1 - i)
                  : kSteps * 8 / 10 * static_cast<std::int64_t>(i + 1) / static_cast<std::int64_t>(starts.size() - 2);
      while (trainer.position().step < last) metrics += line_of(trainer.step(kNever).value());
    }
    ASSERT_EQ(trainer.position().step, kSteps);
    const std::string found = metrics + fingerprint(trainer);
    if (threads == 1) expected = found;
    EXPECT_EQ(found, expected) << threads << " threads";
  }
}

TEST_P(TrainingOfEveryModel, IsTheSameWhenItIsSavedAndLoadedInAnyPhase) {
  const auto model = tiny_model(GetParam().model, GetParam().task);
  const TrainSetup setup =
      every_phase(GetParam().task, {"maintenance.limit=6", "levels.threshold=0", "cooldown.steps=6"});
  for (const std::size_t stage : test::phase_starts(Trainer(*model, setup, 1).curriculum())) {
    Trainer whole(*model, setup, 1);
    whole.enter(stage);
    test::advance(whole, 7);
    const std::string expected = fingerprint(whole);
    for (const std::int64_t at : {0, 1, 5, 6}) {
      const TemporaryFolder folder(memory_folder());
      Checkpoints checkpoints(folder.path());
      Trainer first(*model, setup, 2);
      first.enter(stage);
      while (first.position().step < at) first.step(kNever).value();  // at 6 a check is due
      ASSERT_TRUE(checkpoints.save(take_snapshot(first, {})));
      Trainer second(*model, setup, 1);
      ASSERT_TRUE(checkpoints.load(second)->memory);
      EXPECT_EQ(fingerprint(second), fingerprint(first));
      test::advance(second, 7);
      EXPECT_EQ(fingerprint(second), expected) << whole.curriculum().stages()[stage].name << ", saved at " << at;
    }
  }
}

TEST_P(TrainingOfEveryModel, ACooldownThatEndsBelowTheTargetGivesTheWeightsFromBeforeIt) {
  const auto model = tiny_model(GetParam().model, GetParam().task);
  Trainer trainer(*model, tiny_setup({"cooldown.steps=3", "validation.episodes=64"}, GetParam().task), 1);
  trainer.enter(trainer.curriculum().stages().size() - 1);
  const auto bytes = [](const std::vector<NamedTensor>& tensors) { return sha256_hex(encode_tensors(tensors).span()); };
  const std::string before = bytes(trainer.model_tensors());
  test::advance(trainer, 1);

  // The weights from before the cool-down survive a checkpoint.
  const auto file = TensorFile::parse(encode_tensors(trainer.optimizer_tensors()), "memory");
  Trainer restored(*model, trainer.setup(), 1);
  ASSERT_TRUE(restored.restore(*file, {trainer.position(), trainer.passed(), trainer.optimizer_steps()}));
  test::advance(restored, 3);
  EXPECT_TRUE(restored.ended());
  EXPECT_TRUE(restored.position().fell_back);
  EXPECT_THAT(restored.passed(), testing::IsEmpty());
  EXPECT_EQ(bytes(restored.result_tensors()), before);
  EXPECT_NE(bytes(restored.model_tensors()), before);
}

INSTANTIATE_TEST_SUITE_P(Models, TrainingOfEveryModel, testing::ValuesIn(every_pairing()), [](const auto& tested) {
  return tested.param.model + (tested.param.task.name == "mqar" ? "_recall" : "_database");
});

}  // namespace
}  // namespace schemamem
