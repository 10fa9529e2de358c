// Standard streams that the parent has closed, and limits that it has set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "support/hostile.h"

namespace schemamem {
namespace {

using test::HostileEnd;
using test::text_of;
using testing::HasSubstr;

/// Runs a line of the shell with $S for the program.
HostileEnd shell(const std::string& line, const TemporaryFolder& folder) {
  const std::string script = "S='" SCHEMAMEM_PROGRAM "'; " + line;
  return test::wait_for(Process::start("/bin/sh", {"sh", "-c", script}, folder / "log").value(), folder / "log");
}

TEST(HostileStreams, WhatIsSaidToClosedStreamsDoesNotGoIntoTheFilesOfTheRun) {
  for (const char* closed : {"2>&-", ">&- 2>&-", "<&- >&- 2>&-", "<&-", ">&-"}) {
    const TemporaryFolder folder;
    const HostileEnd told = shell("$S " + test::short_training(folder / "run") + " " + closed, folder);
    EXPECT_EQ(told.end.signal, 0);
    for (const char* name : {"metrics.jsonl", "events.jsonl"}) {
      std::istringstream lines(text_of(folder / "run" / name));
      int count = 0;
      for (std::string line; std::getline(lines, line); ++count)
        EXPECT_TRUE(nlohmann::json::accept(line)) << closed << " " << name << ": " << line;
      EXPECT_GT(count, 0) << closed << " " << name;
    }
    EXPECT_TRUE(std::filesystem::exists(folder / "run" / "result.json")) << closed;
  }
}

TEST(HostileStreams, AResultThatNobodyGetsIsAFailure) {
  const TemporaryFolder folder;
  const HostileEnd told = shell("$S task describe --setting A3V3 >&-", folder);
  EXPECT_EQ(told.end, (ProcessEnd{.code = 74}));
  EXPECT_THAT(told.said, HasSubstr("standard output failed"));
}

}  // namespace
}  // namespace schemamem
