#include "train/slot_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/registry.h"
#include "support/tiny_training.h"
#include "task/address_value.h"
#include "task/episode_stream.h"

namespace schemamem {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

struct World {
  explicit World(const SequenceModel<float>& m) : model(m), folded(m.make_folded()), counter(m) {
    tokens.resize(episode_size(request).tokens());
    EpisodeMaker(request.setting).make(request, {.seed = 3, .purpose = Purpose::kTest, .index = 0}, tokens);
    inputs.resize(tokens.size() * m.config().inputs);
    logits.resize(tokens.size() * m.config().outputs);
  }
  std::vector<double> count(std::span<const float> weights) {
    model.fold(view_of(weights), *folded);
    const View<float, 2> x(inputs.data(), {tokens.size(), model.config().inputs});
    encode_inputs(request.setting, tokens, x);
    const auto marks = validity_marks<float>(x);
    counter.add(*folded, {x, marks}, View<float, 2>(logits.data(), {tokens.size(), model.config().outputs}));
    return counter.take();
  }

  const SequenceModel<float>& model;
  TaskCase request{.setting = test::kTinySetting, .scenario = Scenario::kOverwrite, .delay = 8};
  std::unique_ptr<Folded<float>> folded;
  SlotCounter counter;
  std::vector<Token> tokens;
  std::vector<float> inputs, logits;
};

TEST(SlotUse, AWriterThatSaysNothingUsesNone) {
  const auto model = test::tiny_model();
  World world(*model);
  std::vector<float> weights(model->parameters().size());
  model->initialise("paper", 1, view_of(std::span(weights)));  // the paper's write map starts at zero
  EXPECT_THAT(world.count(weights), ElementsAre(0));
}

TEST(SlotUse, AWriterThatTurnsEveryPhaseUsesThemAllAndTheNextEpisodeStartsAnew) {
  const auto model = test::tiny_model();
  World world(*model);
  std::vector<float> weights(model->parameters().size());
  model->initialise("ours", 1, view_of(std::span(weights)));
  const std::vector<double> used = world.count(weights);
  EXPECT_THAT(used, SizeIs(1));
  EXPECT_THAT(used, Each(testing::AllOf(testing::Gt(0), testing::Le(4))));
  EXPECT_EQ(world.count(weights), used);
}

TEST(SlotUse, AModelWithoutPhasesOfSlotsHasNoneAndReadsNothing) {
  for (const std::string name : {"gdn", "mamba3"}) {
    const auto model = test::tiny_model(name);
    World world(*model);
    EXPECT_FALSE(world.counter.has_slots()) << name;
    for (float& logit : world.logits) logit = -7;
    std::vector<float> weights(model->parameters().size());
    model->initialise("ours", 1, view_of(std::span(weights)));
    EXPECT_THAT(world.count(weights), IsEmpty()) << name;
    EXPECT_THAT(world.logits, Each(-7)) << name;
  }
}

TEST(SlotUse, IsPartOfEveryRecurrentCheck) {
  const auto model = test::tiny_model();
  Trainer trainer(*model, test::tiny_setup(), 1);
  test::advance(trainer, 23);  // past the full-history stages
  const StopFlag never{false};
  ASSERT_TRUE(trainer.step(never));
  ASSERT_TRUE(trainer.check_due());
  EXPECT_THAT(trainer.check(never)->slots_used, SizeIs(1));
}

TEST(SlotUse, IsPartOfTheChecksOfLevels) {
  const StopFlag never{false};
  for (const std::string& name : model_names()) {
    const auto model = test::tiny_model(name, test::kTinyRecall);
    Trainer trainer(*model, test::tiny_setup({}, test::kTinyRecall), 1);
    while (!trainer.check_due()) ASSERT_TRUE(trainer.step(never));
    EXPECT_THAT(trainer.check(never)->slots_used, SizeIs(name == "schemamem" ? 1 : 0)) << name;
  }
}

}  // namespace
}  // namespace schemamem
