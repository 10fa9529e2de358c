#include "train/trainer.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/tiny_training.h"

namespace schemamem {
namespace {

using test::advance;
using test::fingerprint;
using test::tiny_model;
using test::tiny_setup;

const StopFlag kNever{false};

TEST(Trainer, AnotherSeedIsAnotherRun) {
  const auto model = tiny_model();
  TrainSetup setup = tiny_setup();
  Trainer first(*model, setup, 1);
  setup.seed += 1;
  Trainer second(*model, setup, 1);
  EXPECT_NE(fingerprint(first), fingerprint(second));
}

TEST(Trainer, ASilentModelStartsAsOursWithAWriteMapOfZero) {
  const auto model = tiny_model();
  const Trainer ours(*model, tiny_setup({"initial.scheme=ours"}), 1);
  const Trainer silent(*model, tiny_setup({"initial.scheme=silent"}), 1);
  int zeroed = 0;
  for (const TensorSpec& tensor : model->parameters().tensors()) {
    const bool is_zeroed = tensor.name.ends_with(".w_delta");
    zeroed += is_zeroed ? 1 : 0;
    for (std::size_t i = tensor.offset; i < tensor.offset + tensor.size; ++i)
      ASSERT_EQ(silent.kept_weights()[i], is_zeroed ? 0 : ours.kept_weights()[i]) << tensor.name;
    EXPECT_TRUE(!is_zeroed || ours.kept_weights()[tensor.offset] != 0);
  }
  EXPECT_EQ(zeroed, 1);  // the model has one layer
}

TEST(Trainer, LearnsTheFirstStageOfATinyDatabase) {
  const auto model = tiny_model();
  Trainer trainer(*model,
                  tiny_setup({"batch.episodes=16", "validation.every=100", "validation.episodes=64",
                              "transactions.history_thresholds=[90,0,0]", "transactions.limit=2000"}),
                  1);
  while (!trainer.ended() && trainer.position().stage == 0) {
    if (trainer.check_due()) {
      trainer.check(kNever).value();
    } else {
      trainer.step(kNever).value();
    }
  }
  EXPECT_FALSE(trainer.position().gave_up);
}

TEST(Trainer, ARequestToStopLeavesTheStateAsItWas) {
  const auto model = tiny_model();
  Trainer trainer(*model, tiny_setup(), 2);
  advance(trainer, 3);
  const std::string before = fingerprint(trainer);
  const StopFlag stop{true};
  const auto step = trainer.step(stop);
  ASSERT_FALSE(step);
  EXPECT_EQ(step.error().kind(), ErrorKind::kInterrupted);
  EXPECT_EQ(fingerprint(trainer), before);
}

TEST(Trainer, AStopDuringACheckLeavesItDue) {
  const auto model = tiny_model();
  Trainer trainer(*model, tiny_setup(), 1);
  while (!trainer.check_due()) trainer.step(kNever).value();
  const StopFlag stop{true};
  EXPECT_EQ(trainer.check(stop).error().kind(), ErrorKind::kInterrupted);
  EXPECT_TRUE(trainer.check_due());
}

TEST(Trainer, RestoredAfterAnyStepItContinuesWithTheSameBits) {
  const auto model = tiny_model();
  const TrainSetup setup = tiny_setup({"cooldown.steps=5", "stillness.weights=[1,2,3]", "optimizer.renew=true"});
  Trainer whole(*model, setup, 1);
  advance(whole, 30);
  const std::string expected = fingerprint(whole);
  for (const std::int64_t stop : {1, 5, 6, 7, 17, 18, 29}) {
    Trainer first(*model, setup, 2);
    while (first.position().step < stop) {
      if (first.check_due()) {
        first.check(kNever).value();
      } else {
        first.step(kNever).value();
      }
    }
    const auto file = TensorFile::parse(encode_tensors(first.optimizer_tensors()), "memory");
    Trainer second(*model, setup, 1);
    ASSERT_TRUE(second.restore(*file, {first.position(), first.passed(), first.optimizer_steps()}));
    advance(second, 30);
    EXPECT_EQ(fingerprint(second), expected) << "stopped at " << stop;
  }
}

/// The tiny recipe at the first step of its lanes, of which most of the batch is made.
TrainSetup lane_setup() {
  return tiny_setup({"cooldown.steps=0", "lanes.steps=20", "lanes.count=4", "lanes.tokens=24", "lanes.restart=0.1",
                     "lanes.stillness=1", "lanes.falling=5", "lanes.warmup=3"});
}

TEST(Trainer, CarriedStatesAreRestoredToTheSameBits) {
  const auto model = tiny_model();
  const TrainSetup setup = lane_setup();
  const auto begin = [&](Trainer& trainer) { trainer.enter(trainer.curriculum().stages().size() - 1); };
  Trainer whole(*model, setup, 2);
  begin(whole);
  advance(whole, 17);
  const std::string expected = fingerprint(whole);
  for (const std::int64_t stop : {0, 1, 6, 11, 16}) {
    Trainer first(*model, setup, 1);
    begin(first);
    advance(first, stop);
    const auto file = TensorFile::parse(encode_tensors(first.optimizer_tensors()), "memory");
    EXPECT_EQ(file->contains("lanes"), stop > 0);
    Trainer second(*model, setup, 1);
    ASSERT_TRUE(second.restore(*file, {first.position(), first.passed(), first.optimizer_steps()}));
    advance(second, 17);
    EXPECT_EQ(fingerprint(second), expected) << "stopped at " << stop;
  }
}

TEST(Trainer, APieceOfALaneMayHaveMoreChunksAndRowsThanAnyEpisode) {
  const auto model = tiny_model();
  for (const char* tokens : {"lanes.tokens=31", "lanes.tokens=512"}) {
    Trainer trainer(*model,
                    tiny_setup({"cooldown.steps=0", "lanes.steps=20", "lanes.count=4", tokens, "lanes.writes=[1, 1]",
                                "lanes.reads=[1, 1]", "lanes.wait=0"}),
                    1);
    trainer.enter(trainer.curriculum().stages().size() - 1);
    advance(trainer, 2);
    EXPECT_EQ(trainer.position().stage_step, 2) << tokens;
  }
}

TEST(Trainer, ACheckpointWithoutTheStatesOfItsLanesIsRefused) {
  const auto model = tiny_model();
  Trainer trainer(*model, lane_setup(), 1);
  trainer.enter(trainer.curriculum().stages().size() - 1);
  advance(trainer, 3);
  std::vector<NamedTensor> tensors = trainer.optimizer_tensors();
  std::erase_if(tensors, [](const NamedTensor& tensor) { return tensor.name == "lanes"; });
  const auto file = TensorFile::parse(encode_tensors(tensors), "memory");
  const Status restored = trainer.restore(*file, {trainer.position(), trainer.passed(), trainer.optimizer_steps()});
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().kind(), ErrorKind::kBadData);
}

TEST(Trainer, LanesTellTheShareOfRightAnswersAndAStoppedStepLeavesThemAlone) {
  const auto model = tiny_model();
  Trainer trainer(*model, lane_setup(), 1);
  trainer.enter(trainer.curriculum().stages().size() - 1);
  const auto step = trainer.step(kNever).value();
  ASSERT_TRUE(step.right);
  EXPECT_GE(*step.right, 0);
  EXPECT_LE(*step.right, 1);
  const std::string before = fingerprint(trainer);
  EXPECT_FALSE(trainer.step(StopFlag{true}));
  EXPECT_EQ(fingerprint(trainer), before);
  Trainer twin(*model, lane_setup(), 1);
  twin.enter(twin.curriculum().stages().size() - 1);
  advance(trainer, 4);
  advance(twin, 4);
  EXPECT_EQ(fingerprint(trainer), fingerprint(twin));
}

TEST(Trainer, ANumberThatIsNotFiniteStopsInTheSameStepAndChangesNothing) {
  const auto model = tiny_model();
  Trainer trainer(*model, tiny_setup(), 1);
  advance(trainer, 2);
  std::vector<float> poisoned(model->parameters().size(), std::numeric_limits<float>::quiet_NaN());
  std::vector<NamedTensor> tensors;
  for (const char* prefix : {"weights.", "average.", "first.", "second."}) {
    for (const TensorSpec& tensor : model->parameters().tensors())
      tensors.push_back(named_tensor(prefix + tensor.name, tensor.shape,
                                     std::span<const float>(poisoned).subspan(tensor.offset, tensor.size)));
  }
  const auto file = TensorFile::parse(encode_tensors(tensors), "memory");
  ASSERT_TRUE(trainer.restore(*file, {trainer.position(), trainer.passed(), trainer.optimizer_steps()}));
  const auto step = trainer.step(kNever);
  ASSERT_FALSE(step);
  EXPECT_EQ(step.error().kind(), ErrorKind::kNonFinite);
  EXPECT_EQ(trainer.position().step, 2);
}

TEST(Validator, GivingUpEarlyNeverChangesWhetherACheckPasses) {
  const auto model = tiny_model();
  for (const char* threshold : {"0", "10", "40", "100"}) {
    const std::string thresholds =
        std::string("transactions.history_thresholds=[") + threshold + "," + threshold + ",0]";
    std::vector<std::string> common{thresholds, "validation.episodes=96", "validation.every=20", "batch.episodes=8",
                                    "transactions.limit=60"};
    const auto stages_after = [&](const char* whole) {
      std::vector<std::string> all = common;
      all.emplace_back(whole);
      Trainer trainer(*model, tiny_setup(all), 1);
      advance(trainer, 60);
      return trainer.position().stage;
    };
    EXPECT_EQ(stages_after("validation.whole=true"), stages_after("validation.whole=false")) << threshold;
  }
}

}  // namespace
}  // namespace schemamem
