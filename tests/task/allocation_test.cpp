#include <gtest/gtest.h>

#include <vector>

#include "support/count_allocations.h"
#include "task/batch.h"

namespace schemamem {
namespace {

TEST(BatchFiller, AllocatesNothingWhileItFills) {
  const Setting setting{4, 4};
  std::vector<TaskCase> cases(64, {.setting = setting, .scenario = Scenario::kOverwrite, .delay = 96});
  for (std::size_t i = 0; i < cases.size(); i += 3) cases[i] = {.setting = setting, .scenario = Scenario::kImmediate};
  Batch batch(setting, cases.size(), 64 * 200);
  BatchFiller filler(setting, 200, 2);
  ThreadPool pool(2);
  const long before = test::allocations;
  for (std::uint64_t step = 0; step < 10; ++step)
    filler.fill(cases, {.seed = 1, .purpose = Purpose::kTest, .index = step * cases.size()}, pool, batch);
  EXPECT_EQ(test::allocations - before, 0);
  EXPECT_GT(before, 0);
}

}  // namespace
}  // namespace schemamem
