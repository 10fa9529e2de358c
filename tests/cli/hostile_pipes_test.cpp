// Pipes and devices where files are expected: nobody waits for them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include "support/hostile.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;
using test::HostileEnd;
using test::run_hostile;
using testing::HasSubstr;

class HostilePipes : public testing::Test {
 protected:
  void SetUp() override {
    const HostileEnd made = run_hostile(test::short_training(run()));
    ASSERT_EQ(made.end, (ProcessEnd{.code = 2})) << made.said;
    fs::remove(run() / "result.json");
  }
  fs::path run() const { return folder_ / "run"; }
  void make_pipe(const char* name) const {
    fs::remove(run() / name);
    ASSERT_EQ(::mkfifo((run() / name).c_str(), 0666), 0);
  }
  void expect_no_wait(const std::string& arguments, const std::string& what) const {
    const HostileEnd told = run_hostile(arguments, std::chrono::seconds(5));
    EXPECT_FALSE(told.hung) << arguments << " on " << what;
    EXPECT_EQ(told.end.signal, 0) << arguments << " on " << what << ": " << told.said;
  }

  TemporaryFolder folder_;
};

TEST_F(HostilePipes, WatchNamesAPipeAndWaitsForNone) {
  for (const char* name : {"metrics.jsonl", "events.jsonl"}) {
    make_pipe(name);
    const HostileEnd told = run_hostile("watch --once " + run().string(), std::chrono::seconds(5));
    EXPECT_FALSE(told.hung) << name;
    EXPECT_EQ(told.end, (ProcessEnd{.code = 65})) << told.said;
    EXPECT_THAT(told.said, HasSubstr(std::string(name) + ": not a regular file"));
    fs::remove(run() / name);
  }
}

TEST_F(HostilePipes, NoReaderOfARunWaitsForAPipe) {
  for (const char* name : {"lock", "run.json", "result.json", "failed.json", "metrics.jsonl", "events.jsonl"}) {
    const fs::path kept = folder_ / "kept";
    if (fs::exists(run() / name)) fs::rename(run() / name, kept);
    make_pipe(name);
    for (const char* command : {"watch --once ", "watch --once --json ", "resume ",
                                "eval --episodes 1 --delays 96 --threads 1 ", "report -o /dev/null/x "})
      expect_no_wait(command + run().string(), name);
    fs::remove(run() / name);
    if (fs::exists(kept)) fs::rename(kept, run() / name);
  }
}

TEST_F(HostilePipes, AnEndlessDeviceIsNotRead) {
  for (const char* name : {"metrics.jsonl", "events.jsonl", "failed.json", "result.json"}) {
    fs::remove(run() / name);
    fs::create_symlink("/dev/zero", run() / name);
    expect_no_wait("watch --once " + run().string(), name);
    fs::remove(run() / name);
  }
}

TEST_F(HostilePipes, WatchEndsWhenItIsAskedTo) {
  Process process = test::start_program("watch " + run().string(), folder_ / "log");
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_FALSE(process.end()) << "the run has stopped, not ended: " << test::text_of(folder_ / "log");
  process.signal(SIGTERM);
  const HostileEnd told = test::wait_for(std::move(process), folder_ / "log", std::chrono::seconds(5));
  EXPECT_FALSE(told.hung);
}

}  // namespace
}  // namespace schemamem
