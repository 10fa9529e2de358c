#include "task/example_task.h"

#include <gtest/gtest.h>

#include "task/batch.h"

namespace schemamem {
namespace {

TEST(ExampleTask, AsksForTheParityOfAllBitsSoFar) {
  const ParityTask task(9);
  const std::vector<EpisodeCase> cases(3, task.levels().front().front());
  Batch batch(task.shape(), cases.size(), cases.size() * 9);
  batch.fill(task, *task.source(), cases, {.seed = 1});
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const EpisodeRows rows = batch.rows(i);
    float ones = 0;
    for (std::size_t t = 0; t < rows.size(); ++t) {
      ones += rows.inputs(t, 0);
      EXPECT_EQ(rows.labels[t], static_cast<std::int32_t>(ones) % 2);
    }
  }
}

}  // namespace
}  // namespace schemamem
