#include "system/no_children.h"

#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

namespace schemamem {
namespace {

/// The exit code of a process that forbids itself children and then does `work`.
template <class Work>
int code_after_forbidding(Work work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(forbid_children() ? work() : 99);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(ForbidChildren, NeitherForkNorSystemNorPopenStartsAProcess) {
  EXPECT_EQ(code_after_forbidding([] { return ::fork() < 0 ? 3 : 4; }), 3);
  EXPECT_EQ(code_after_forbidding([] { return ::vfork() < 0 ? 3 : 4; }), 3);
  EXPECT_EQ(code_after_forbidding([] { return std::system("exit 0") != 0 ? 3 : 4; }), 3);  // NOLINT: that is the point
  EXPECT_EQ(code_after_forbidding([] { return ::popen("true", "r") == nullptr ? 3 : 4; }), 3);
}

TEST(ForbidChildren, ThreadsAndBecomingAnotherProgramAreLeft) {
  EXPECT_EQ(code_after_forbidding([] {
              int result = 0;
              std::thread([&] { result = 5; }).join();
              return result;
            }),
            5);
  EXPECT_EQ(code_after_forbidding([] { return ::execl("/bin/sh", "sh", "-c", "exit 6", nullptr); }), 6);
  EXPECT_NE(code_after_forbidding([] { return ::execl("/bin/sh", "sh", "-c", "/bin/true; exit $?", nullptr); }), 0)
      << "the program that it became is bound, too";
}

}  // namespace
}  // namespace schemamem
