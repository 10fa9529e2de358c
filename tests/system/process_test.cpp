#include "system/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

#include "support/temporary_folder.h"

namespace schemamem {
namespace {

using testing::HasSubstr;

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(Process, EndsWithItsCodeAndItsOutputIsInTheLog) {
  const TemporaryFolder folder;
  auto process = Process::start("/bin/sh", {"sh", "-c", "echo out; echo err >&2; exit 7"}, folder / "log");
  ASSERT_TRUE(process) << process.error().message();
  EXPECT_EQ(process.value().wait(), (ProcessEnd{.code = 7}));
  EXPECT_EQ(text_of(folder / "log"), "out\nerr\n");
  auto again = Process::start("/bin/sh", {"sh", "-c", "echo $1", "sh", "a b;c"}, folder / "log");
  EXPECT_EQ(again.value().wait(), ProcessEnd{});
  EXPECT_EQ(text_of(folder / "log"), "out\nerr\na b;c\n");
}

TEST(Process, TellsTheSignalThatEndedIt) {
  const TemporaryFolder folder;
  auto process = Process::start("/bin/sleep", {"sleep", "100"}, folder / "log");
  ASSERT_TRUE(process);
  EXPECT_EQ(process.value().end(), std::nullopt);
  process.value().signal(SIGKILL);
  EXPECT_EQ(process.value().wait(), (ProcessEnd{.signal = SIGKILL}));
  EXPECT_EQ(process.value().end(), (ProcessEnd{.signal = SIGKILL}));
}

TEST(Process, DoesNotOutliveItsOwner) {
  const TemporaryFolder folder;
  pid_t id = 0;
  {
    auto process = Process::start("/bin/sleep", {"sleep", "100"}, folder / "log");
    id = process->id();
  }
  EXPECT_EQ(::kill(id, 0), -1);
}

TEST(Process, WhatCannotBeStartedIsTold) {
  const TemporaryFolder folder;
  const auto process = Process::start("/nowhere/at/all", {"all"}, folder / "log");
  ASSERT_FALSE(process);
  EXPECT_THAT(process.error().message(), HasSubstr("/nowhere/at/all"));
  EXPECT_FALSE(Process::start("/bin/true", {"true"}, folder / "absent" / "log"));
}

TEST(Process, OneThatIsLeftToItselfNeedsNoShellAndNoOwner) {
  const TemporaryFolder folder;
  const auto file = folder / "a b;c";
  ASSERT_TRUE(start_detached({"touch", file.string()}));
  for (int i = 0; i < 1000 && !std::filesystem::exists(file); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(std::filesystem::exists(file));
  const Status absent = start_detached({"no-such-program-here"});
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().kind(), ErrorKind::kMissingInput);
  EXPECT_THAT(absent.error().message(), HasSubstr("no-such-program-here"));
}

TEST(Process, ASignalThatItsParentIgnoresIsNotIgnoredByIt) {
  const TemporaryFolder folder;
  const auto before = std::signal(SIGTERM, SIG_IGN);
  auto process = Process::start("/bin/sleep", {"sleep", "100"}, folder / "log");
  std::signal(SIGTERM, before);
  process.value().signal(SIGTERM);
  EXPECT_EQ(process.value().wait(), (ProcessEnd{.signal = SIGTERM}));
}

}  // namespace
}  // namespace schemamem
