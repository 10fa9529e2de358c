#include <gtest/gtest.h>

#include <vector>

#include "support/count_allocations.h"
#include "task/address_value.h"
#include "task/batch.h"
#include "task/mqar.h"

namespace schemamem {
namespace {

/// Allocations of ten batches of these cases behind a first one.
long allocations_of(const Task& task, std::vector<EpisodeCase> cases) {
  std::size_t tokens = 0;
  for (const EpisodeCase& one : cases) tokens += task.tokens(one);
  Batch batch(task.shape(), cases.size(), tokens);
  const auto source = task.source();
  const auto fill = [&](std::uint64_t step) {
    batch.fill(task, *source, cases, {.seed = 1, .purpose = Purpose::kTest, .index = step * cases.size()});
  };
  fill(0);
  const long before = test::allocations;
  EXPECT_GT(before, 0);
  for (std::uint64_t step = 1; step <= 10; ++step) fill(step);
  return test::allocations - before;
}

TEST(Batch, AllocatesNothingWhileItIsFilledOnceItsSourceHasSeenTheLongestEpisode) {
  std::vector<EpisodeCase> cases(64, episode_case(Scenario::kOverwrite, 96));
  for (std::size_t i = 0; i < cases.size(); i += 3) cases[i] = episode_case(Scenario::kImmediate);
  EXPECT_EQ(allocations_of(AddressValueTask({4, 4}), cases), 0);
  for (std::size_t i = 0; i < cases.size(); ++i) cases[i] = mqar_case(1 + i % 8, 64);
  EXPECT_EQ(allocations_of(MqarTask({.vocabulary = 64, .length = 64, .pairs = 8}), cases), 0);
}

}  // namespace
}  // namespace schemamem
