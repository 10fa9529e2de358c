// A folder that is moved or removed while a run trains in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "support/hostile.h"
#include "system/files.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;
using test::HostileEnd;
using test::start_program;
using test::wait_for;
using testing::HasSubstr;

class HostileMoves : public testing::Test {
 protected:
  fs::path run() const { return folder_ / "run"; }
  std::string training() const { return test::short_training(run(), 1'000'000); }

  /// A run that has saved its first checkpoint.
  Process start_saved(const std::string& log) {
    Process process = start_program(training(), folder_ / log);
    const auto deadline = std::chrono::steady_clock::now() + test::kPatience;
    while (!process.end() && std::chrono::steady_clock::now() < deadline &&
           test::text_of(run() / "events.jsonl").find("\"saved\"") == std::string::npos)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return process;
  }

  TemporaryFolder folder_{memory_folder()};
};

TEST_F(HostileMoves, ARunWhoseFolderWasMovedEndsAndLeavesTheOneAtItsPathAlone) {
  Process first = start_saved("first.log");
  fs::rename(run(), folder_ / "moved");
  Process second = start_saved("second.log");

  const HostileEnd told = wait_for(std::move(first), folder_ / "first.log");

  EXPECT_EQ(told.end, (ProcessEnd{.code = 74})) << told.said;
  EXPECT_THAT(told.said, HasSubstr("the folder was moved, removed or replaced while it was in use"));
  EXPECT_FALSE(second.end()) << "the second run goes on: " << test::text_of(folder_ / "second.log");
  second.signal(SIGTERM);
  EXPECT_EQ(wait_for(std::move(second), folder_ / "second.log").end, (ProcessEnd{.code = 75}));

  Process resumed = start_program("resume " + (folder_ / "moved").string() + " --threads 1", folder_ / "third.log");
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  resumed.signal(SIGTERM);
  EXPECT_EQ(wait_for(std::move(resumed), folder_ / "third.log").end, (ProcessEnd{.code = 75}))
      << "what was moved is whole";
}

TEST_F(HostileMoves, AFolderThatWasRemovedDoesNotComeBack) {
  Process process = start_saved("log");
  fs::rename(run(), folder_ / "going");
  fs::remove_all(folder_ / "going");

  const HostileEnd told = wait_for(std::move(process), folder_ / "log");

  EXPECT_EQ(told.end, (ProcessEnd{.code = 74})) << told.said;
  EXPECT_FALSE(fs::exists(run()));
}

}  // namespace
}  // namespace schemamem
