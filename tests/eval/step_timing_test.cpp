#include "eval/step_timing.h"

#include <gtest/gtest.h>

#include "models/registry.h"

namespace schemamem {
namespace {

TEST(StepTiming, CountsTheWorkOfThePapersStepAsDocumented) {
  // 64 episodes of 400 tokens, commits every 96: 21.35 GFLOP of matrix products.
  const auto model = make_model<float>("schemamem", 7, 3);
  const std::size_t ends[] = {96, 192, 288, 384, 400};
  EXPECT_NEAR(64 * (*model)->training_flops(ends) * 1e-9, 21.352, 0.001);
}

TEST(StepTiming, TimesEveryModelAfterCheckingItsGradients) {
  for (const std::string& name : model_names()) {
    const Result<StepTiming> timed = time_step({.model = name, .batch = 3, .tokens = 110, .threads = 2, .repeats = 1});
    ASSERT_TRUE(timed) << timed.error().message();
    EXPECT_GT(timed->gradient_error, 0);
    EXPECT_LT(timed->gradient_error, 2e-3);
    EXPECT_GT(timed->milliseconds, 0);
    EXPECT_NEAR(timed->gflops * timed->milliseconds * 1e-3, timed->gigaflop, 1e-6);
    EXPECT_NEAR(timed->fraction_of_peak, timed->gflops / timed->fma_peak_gflops, 1e-9);
  }
}

TEST(StepTiming, TimesAStream) {
  for (const std::string& name : model_names()) {
    const Result<StreamTiming> timed = time_stream({.model = name}, 300);
    ASSERT_TRUE(timed) << timed.error().message();
    EXPECT_GT(timed->median_microseconds, 0);
    EXPECT_GE(timed->p99_microseconds, timed->median_microseconds);
  }
}

TEST(StepTiming, RefusesAnUnknownModel) {
  const Result<StepTiming> timed = time_step({.model = "schemamen"});
  ASSERT_FALSE(timed);
  EXPECT_EQ(timed.error().kind(), ErrorKind::kUsage);
  EXPECT_NE(timed.error().message().find("Did you mean \"schemamem\"?"), std::string::npos) << timed.error().message();
}

}  // namespace
}  // namespace schemamem
