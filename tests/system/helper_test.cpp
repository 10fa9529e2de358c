#include "system/helper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "support/surroundings.h"
#include "support/temporary_folder.h"

namespace schemamem {
namespace {

using testing::HasSubstr;

/// A program that does what a shell script says.
std::filesystem::path script(const TemporaryFolder& folder, const std::string& text) {
  std::ofstream(folder / "helper") << "#!/bin/sh\n" << text << "\n";
  std::filesystem::permissions(folder / "helper", std::filesystem::perms::owner_all);
  return folder / "helper";
}

TEST(Helper, TellsWhatItSaidAndHowItEnded) {
  const TemporaryFolder folder;
  const auto heard =
      run_helper(script(folder, R"(echo "$1|$2"; echo oh >&2; read line; echo "[$line]"; exit 3)"), {"a b", "$(id)"});
  ASSERT_TRUE(heard) << heard.error().message();
  EXPECT_EQ(heard->out, "a b|$(id)\n[]\n") << "no shell reads its arguments, and it reads nothing";
  EXPECT_EQ(heard->error, "oh\n");
  EXPECT_EQ(heard->end, (ProcessEnd{.code = 3}));
  EXPECT_EQ(run_helper(script(folder, "kill -9 $$"), {})->end, (ProcessEnd{.code = 0, .signal = 9}));
}

TEST(Helper, ThatSaysTooMuchOrTakesTooLongIsEnded) {
  const TemporaryFolder folder;
  const auto loud = run_helper(script(folder, "exec yes"), {}, {.most = 10'000});
  ASSERT_FALSE(loud);
  EXPECT_THAT(loud.error().message(), HasSubstr("said more than 10000 bytes"));
  const auto begin = std::chrono::steady_clock::now();
  const auto slow = run_helper(script(folder, "exec sleep 600"), {}, {.patience = std::chrono::milliseconds(100)});
  ASSERT_FALSE(slow);
  EXPECT_THAT(slow.error().message(), HasSubstr("no answer within 0.1 s"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST(Helper, ThatCannotBeStartedHasNotEndedWell) {
  const TemporaryFolder folder;
  const auto heard = run_helper(folder / "none", {});
  ASSERT_TRUE(heard);
  EXPECT_NE(heard->end, ProcessEnd{});
}

TEST(FindProgram, LooksInPathAsAShellDoes) {
  const TemporaryFolder folder;
  const auto path = script(folder, "");
  const test::Variable variable("PATH", "/nowhere:" + folder.path().string());
  EXPECT_EQ(find_program("helper"), path);
  EXPECT_EQ(find_program("no-such-helper"), std::nullopt);
  EXPECT_EQ(find_program(path.string()), path);
  std::filesystem::permissions(path, std::filesystem::perms::owner_read);
  EXPECT_EQ(find_program("helper"), std::nullopt);
}

}  // namespace
}  // namespace schemamem
