// A machine that gives no thread, no memory or no more room in a file: a sentence and a documented code.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "support/cli.h"
#include "support/hostile.h"
#include "support/no_threads.h"
#include "support/trained_run.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;
using test::HostileEnd;
using test::text_of;
using testing::HasSubstr;

/// Runs the program after `prepare` in its process.
template <class Prepare>
HostileEnd run_prepared(const std::string& arguments, Prepare prepare) {
  const TemporaryFolder folder;
  const std::string line = "exec '" SCHEMAMEM_PROGRAM "' " + arguments + " >'" + (folder / "log").string() + "' 2>&1";
  const pid_t child = ::fork();
  if (child == 0) {
    if (!prepare()) ::_exit(99);
    ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    ::_exit(98);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return {.end = {.code = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
                  .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0},
          .said = text_of(folder / "log")};
}

bool limit(int resource, rlim_t most) {
  const rlimit both{most, most};
  return ::setrlimit(static_cast<__rlimit_resource_t>(resource), &both) == 0;
}

std::string with_threads(std::string arguments, int threads) {
  const std::string one = "--threads 1";
  return arguments.replace(arguments.find(one), one.size(), "--threads " + std::to_string(threads));
}

TEST(HostileLimits, WithoutAnotherThreadARunTrainsToTheSameBitsAndSaysSo) {
  const TemporaryFolder folder;
  const HostileEnd alone = run_prepared(with_threads(test::short_training(folder / "alone"), 4), test::refuse_threads);
  EXPECT_EQ(alone.end, (ProcessEnd{.code = 2})) << alone.said;
  EXPECT_THAT(alone.said, HasSubstr("the system gives 1 of 4 threads"));
  ASSERT_EQ(test::run_hostile(test::short_training(folder / "free")).end, (ProcessEnd{.code = 2}));
  EXPECT_TRUE(text_of(folder / "alone" / "model.safetensors") == text_of(folder / "free" / "model.safetensors"));
}

TEST(HostileLimits, EvaluationAndBenchmarksDoWithoutThreadsOrRefuse) {
  const TemporaryFolder folder;
  test::write_run(folder / "run");
  const HostileEnd eval =
      run_prepared("eval " + (folder / "run").string() + " --episodes 2 --delays 96 --threads 3", test::refuse_threads);
  EXPECT_EQ(eval.end, ProcessEnd{}) << eval.said;
  EXPECT_THAT(eval.said, HasSubstr("the system gives 1 of 3 threads"));
  const HostileEnd bench =
      run_prepared("bench step --model schemamem --setting A2V2 --threads 2", test::refuse_threads);
  EXPECT_EQ(bench.end, (ProcessEnd{.code = 1})) << bench.said;
  EXPECT_THAT(bench.said, HasSubstr("nothing is timed"));
}

TEST(HostileLimits, TooLittleMemoryIsAnErrorAndNoAbort) {
  if (::dlsym(RTLD_DEFAULT, "__asan_init") != nullptr)
    GTEST_SKIP() << "a sanitizer needs all the address space there is";
  const std::set<int> documented{0, 1, 2, 64, 65, 66, 73, 74, 75, 76};
  int failed = 0;
  for (rlim_t megabytes = 12; megabytes <= 120; megabytes += 4) {
    const TemporaryFolder folder;
    const HostileEnd told = run_prepared(with_threads(test::short_training(folder / "run"), 2),
                                         [&] { return limit(RLIMIT_AS, megabytes << 20); });
    // Below some size not even the loader can begin: 127 is its code.
    if (told.end.code == 127 || told.end.code == 126) continue;
    EXPECT_EQ(told.end.signal, 0) << megabytes << " MB: " << told.said;
    EXPECT_TRUE(documented.contains(told.end.code)) << megabytes << " MB: " << told.end.code << " " << told.said;
    if (told.end.code == 1) {
      ++failed;
      EXPECT_THAT(told.said, HasSubstr("error: Out of memory.")) << megabytes << " MB";
    }
  }
  EXPECT_GT(failed, 0) << "no limit was in the way";
}

TEST(HostileLimits, AFileThatMayNotGrowEndsARunWithCode74) {
  for (const rlim_t bytes : {0, 100, 20'000}) {
    const TemporaryFolder folder;
    const HostileEnd told =
        run_prepared(test::short_training(folder / "run"), [&] { return limit(RLIMIT_FSIZE, bytes); });
    EXPECT_EQ(told.end.signal, 0) << bytes;
    EXPECT_EQ(told.end.code, 74) << bytes << told.said;
  }
}

}  // namespace
}  // namespace schemamem
