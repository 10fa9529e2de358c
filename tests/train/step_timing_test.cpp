#include "train/step_timing.h"

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

/// Says these shares of the peak, one after the other.
Result<StepTiming> timed_as(std::vector<double> shares, int& asked) {
  return time_until_possible(best_isa(), [&, i = std::size_t{0}]() mutable -> Result<StepTiming> {
    ++asked;
    StepTiming timing{.fraction_of_peak = shares.at(i++)};
    // A number of flops a cycle that the hardware can have.
    for (timing.flops_per_cycle = 1; !is_possible_peak(best_isa(), timing.flops_per_cycle); ++timing.flops_per_cycle)
      require(timing.flops_per_cycle < 1000, "some peak is possible");
    return timing;
  });
}

TEST(StepTiming, AShareOfThePeakAboveOneIsMeasuredAgainAndThenRefused) {
  int asked = 0;
  EXPECT_DOUBLE_EQ(timed_as({0.7}, asked)->fraction_of_peak, 0.7);
  EXPECT_EQ(asked, 1);
  EXPECT_DOUBLE_EQ(timed_as({1.475, 0.7}, asked = 0)->fraction_of_peak, 0.7);
  EXPECT_EQ(asked, 2);
  const auto refused = timed_as({1.475, 1.3, 1.2}, asked = 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kFailed);
  EXPECT_EQ(asked, 3);
}

ModelSpec paper_sizes(const std::string& name) { return published_spec(name, 7, 3).value(); }

TEST(StepTiming, TimesEveryModelAfterCheckingItsGradients) {
  for (const std::string& name : model_names()) {
    const Result<StepTiming> timed =
        time_step({.model = paper_sizes(name), .batch = 3, .tokens = 110, .threads = 2, .repeats = 1});
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
    const Result<StreamTiming> timed = time_stream({.model = paper_sizes(name)}, 300);
    ASSERT_TRUE(timed) << timed.error().message();
    EXPECT_GT(timed->median_microseconds, 0);
    EXPECT_GE(timed->p99_microseconds, timed->median_microseconds);
  }
}

TEST(StepTiming, TimesAUsersOwnSizes) {
  ModelSpec own = paper_sizes("schemamem");
  own.sizes["slots"] = 21;
  own.sizes["width"] = 10;
  own.sizes["heads"] = 5;
  own.sizes["head_dim"] = 2;
  own.sizes["inputs"] = 2;  // fewer than outputs: nothing here is an address
  const Result<StepTiming> timed = time_step({.model = own, .batch = 2, .tokens = 101, .repeats = 1});
  ASSERT_TRUE(timed) << timed.error().message();
  EXPECT_LT(timed->gradient_error, 2e-3);
  EXPECT_LT(timed->gigaflop,
            time_step({.model = paper_sizes("schemamem"), .batch = 2, .tokens = 101, .repeats = 1})->gigaflop);
}

TEST(StepTiming, ComparesALongStreamWithOneThatHasJustBegun) {
  ModelSpec tiny = paper_sizes("schemamem");
  for (const auto& [name, number] :
       {std::pair{"layers", 1}, {"slots", 4}, {"width", 4}, {"hidden", 4}, {"heads", 1}, {"head_dim", 4}}) {
    tiny.sizes[name] = static_cast<std::size_t>(number);
  }
  EXPECT_EQ(time_stream({.model = tiny}, 1'000)->late_over_early, 0);
  EXPECT_GT(time_stream({.model = tiny}, 400'000)->late_over_early, 0);
}

TEST(StepTiming, RefusesAnUnknownModel) {
  const Result<StepTiming> timed = time_step({.model = {.name = "schemamen", .sizes = {}}});
  ASSERT_FALSE(timed);
  EXPECT_EQ(timed.error().kind(), ErrorKind::kUsage);
  EXPECT_NE(timed.error().message().find("Did you mean \"schemamem\"?"), std::string::npos) << timed.error().message();
}

}  // namespace
}  // namespace schemamem
