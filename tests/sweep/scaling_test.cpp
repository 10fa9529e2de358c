#include "sweep/scaling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/tiny_training.h"

namespace schemamem {
namespace {

using testing::DoubleNear;

/// One stage of a thousand steps of 80 ms, of which 1 ms is serial; eight shards of 1 MB; nothing is free to copy.
RunCost run_of(std::int64_t shards = 8) {
  return {.stages = {{.name = "only", .steps = 1000, .shared = 0.079, .serial = 0.001, .checks = 16}},
          .shards = shards,
          .gradient_bytes = 1e6,
          .record_bytes = 16e3,
          .copy = 1e-9};
}

TEST(Scaling, OneNodeExchangesNothingAndItsThreadsShareTheShards) {
  const RunCost run = run_of();
  EXPECT_EQ(exchange_seconds(run, run.stages[0], {}), 0);
  EXPECT_THAT(step_seconds(run, run.stages[0], {}), DoubleNear(0.080, 1e-12));
  EXPECT_THAT(step_seconds(run, run.stages[0], {.threads = 4}), DoubleNear(0.001 + 0.079 / 4, 1e-12));
  EXPECT_THAT(step_seconds(run, run.stages[0], {.threads = 3}), DoubleNear(0.001 + 0.079 * 3 / 8, 1e-12))
      << "of eight shards one thread of three has three";
  EXPECT_THAT(forecast(run, {.threads = 2}).seconds, DoubleNear(1000 * (0.001 + 0.079 / 2) + 16.0 / 2, 1e-9));
}

TEST(Scaling, AnExchangeIsMessagesBytesAndAdditions) {
  const RunCost run = run_of();
  const Nodes two{.count = 2, .threads = 1, .network = {.latency = 1e-4, .bandwidth = 1e9}};
  // Four shards and the sum, half of them for the other; two messages and three small exchanges of one round.
  const double bytes = (4e6 + 1e6 + 16e3) / 2;
  EXPECT_THAT(exchange_seconds(run, run.stages[0], two), DoubleNear(5e-4 + bytes / 1e9 + 1e-9 * 8e6, 1e-12));
  EXPECT_THAT(step_seconds(run, run.stages[0], two),
              DoubleNear(0.001 + 0.079 / 2 + exchange_seconds(run, run.stages[0], two), 1e-12));
}

TEST(Scaling, MoreNodesThanShardsGainNothing) {
  const auto shared = [](std::int64_t shards, int nodes) {
    const RunCost run = run_of(shards);
    const Nodes some{.count = nodes};
    return step_seconds(run, run.stages[0], some) - exchange_seconds(run, run.stages[0], some);
  };
  EXPECT_EQ(shared(8, 64), shared(8, 8));
  EXPECT_LT(shared(64, 64), shared(64, 8) / 4);
}

TEST(Scaling, ARunIsMeasuredByRealSteps) {
  const RunRequest request = test::tiny_request({"lanes.steps=10", "lanes.count=3"});
  const auto run = measure_run(request, {}, best_isa(), 1);
  ASSERT_TRUE(run) << run.error().message();
  const std::vector<Stage> stages = make_curriculum(request);
  ASSERT_EQ(run->stages.size(), stages.size());
  for (std::size_t i = 0; i < stages.size(); ++i) {
    EXPECT_EQ(run->stages[i].name, stages[i].name);
    EXPECT_GE(run->stages[i].shared, 0);
    EXPECT_GT(run->stages[i].serial, 0);
    EXPECT_GT(run->stages[i].steps, 0);
    EXPECT_EQ(run->stages[i].state_bytes > 0, stages[i].phase == Phase::kLanes) << stages[i].name;
  }
  EXPECT_EQ(run->shards, 8);
  EXPECT_GT(run->copy, 0);
  EXPECT_GE(run->gradient_bytes, 4.0 * static_cast<double>(test::tiny_model()->parameters().size()));
}

}  // namespace
}  // namespace schemamem
