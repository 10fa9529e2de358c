#include "system/threads.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <new>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "base/result.h"

#include "support/no_threads.h"

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

TEST(ThreadPool, DoesAllTheWorkWithTheThreadsThatTheSystemGives) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (!test::refuse_threads()) ::_exit(9);
    ThreadPool pool(8);
    std::vector<int> done(20);
    pool.run(done.size(), [&](std::size_t slice, int thread) { done[slice] += 1 + thread; });
    ::_exit(pool.threads() == 1 && done == std::vector<int>(20, 1) ? 0 : 8);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(ThreadPool, AnAllocationThatFailsInASliceIsThrownToTheCaller) {
  ThreadPool pool(3);
  auto fail = [](std::size_t, int) { throw std::bad_alloc(); };
  EXPECT_THROW(pool.run(7, fail), std::bad_alloc);
}

}  // namespace
}  // namespace schemamem
