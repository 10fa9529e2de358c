#include "system/threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "base/result.h"

namespace schemamem {
namespace {

TEST(ThreadPool, RunsEverySliceExactlyOnceForAnyNumberOfThreads) {
  for (const int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    for (const std::size_t slices : {0U, 1U, 2U, 7U, 100U}) {
      std::vector<std::atomic<int>> calls(slices);
      pool.run(slices, [&](std::size_t slice, int thread) {
        EXPECT_LT(thread, threads);
        ++calls[slice];
      });
      for (const auto& count : calls) EXPECT_EQ(count, 1);
    }
  }
}

TEST(ThreadPool, RethrowsTheExceptionOfASliceAndStaysUsable) {
  ThreadPool pool(3);
  std::atomic<int> ended = 0;
  EXPECT_THROW(pool.run(20,
                        [&](std::size_t slice, int) {
                          if (slice == 5) throw std::runtime_error("slice 5");
                          ++ended;
                        }),
               std::runtime_error);
  EXPECT_EQ(ended, 19);
  pool.run(4, [&](std::size_t, int) { ++ended; });
  EXPECT_EQ(ended, 23);
}

TEST(ThreadPool, RefusesToBeCalledFromItsOwnSlice) {
  ThreadPool pool(2);
  EXPECT_THROW(pool.run(1, [&](std::size_t, int) { pool.run(1, [](std::size_t, int) {}); }), ContractViolation);
}

TEST(ThreadPool, RefusesZeroThreads) { EXPECT_THROW(ThreadPool(0), ContractViolation); }

}  // namespace
}  // namespace schemamem
