#include <gtest/gtest.h>

#include "support/count_allocations.h"
#include "support/tiny_training.h"

namespace schemamem {
namespace {

class StepOfEveryModel : public testing::TestWithParam<std::string> {};

TEST_P(StepOfEveryModel, AllocatesNothingInAnyPhase) {
  const StopFlag never{false};
  for (const test::TinyTask& task : {test::TinyTask{}, test::kTinyRecall}) {
    const auto model = test::tiny_model(GetParam(), task);
    for (const int threads : {1, 2}) {
      Trainer trainer(
          *model, test::tiny_setup({"stillness.weights=[1,1,1]", "stillness.levels=1", "validation.every=100"}, task),
          threads);
      for (const std::size_t stage : test::phase_starts(trainer.curriculum())) {
        trainer.enter(stage);
        trainer.step(never).value();
        const long before = test::allocations;
        for (int i = 0; i < 5; ++i) trainer.step(never).value();
        EXPECT_EQ(test::allocations, before) << trainer.curriculum().stages()[stage].name << ", threads: " << threads;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, StepOfEveryModel, testing::ValuesIn(model_names()),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace schemamem
