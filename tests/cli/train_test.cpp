#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <thread>

#include "cli/progress_view.h"
#include "cli/signals.h"
#include "support/cli.h"
#include "support/temporary_folder.h"

namespace schemamem {
namespace {

using test::call;
using test::Reply;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A run that gives up after eight steps.
std::string short_run(const std::filesystem::path& folder) {
  return "train --model schemamem --setting A2V2 --seed 5 --threads 1 --set batch.episodes=2 --set "
         "validation.every=4 --set validation.episodes=2 --set transactions.history_thresholds=[100,100,100] --set "
         "validation.passes=9 --set transactions.limit=8 --out " +
         folder.string();
}

TEST(Train, ARunThatHitsItsStepLimitEndsWithCode2AndIsKept) {
  const TemporaryFolder folder;
  const Reply reply = call(short_run(folder / "run"));
  EXPECT_EQ(reply.code, 2) << reply.err;
  EXPECT_THAT(reply.err, AllOf(HasSubstr("step      4"), HasSubstr("step limit")));
  EXPECT_THAT(reply.out, AllOf(HasSubstr("ended after 8 steps"), Not(HasSubstr("finished"))));
  EXPECT_THAT(reply.err, Not(HasSubstr("error:"))) << "it did as it was told";
  const Reply again = call(short_run(folder / "run"));
  EXPECT_EQ(again.code, 2);
  EXPECT_THAT(again.out, HasSubstr("had ended"));
  EXPECT_EQ(call("resume " + (folder / "run").string()).code, 2);
}

TEST(Train, ARunGoesOnWithTheInstructionSetItBeganWithOrNotAtAll) {
  const TemporaryFolder folder;
  ASSERT_EQ(call(short_run(folder / "run")).code, 2);
  std::stringstream manifest;
  manifest << std::ifstream(folder / "run" / "run.json").rdbuf();
  const std::string changed = std::regex_replace(manifest.str(), std::regex(R"("isa": "\w+")"), R"("isa": "altivec")");
  std::ofstream(folder / "run" / "run.json") << changed;
  for (const std::string& command : {short_run(folder / "run"), "resume " + (folder / "run").string()}) {
    const Reply reply = call(command);
    EXPECT_EQ(reply.code, 64) << command;
    EXPECT_THAT(reply.err, HasSubstr("begun with the instruction set altivec"));
  }
}

TEST(Train, OnATerminalABlockIsDrawnAgainInPlace) {
  const TemporaryFolder folder;
  const Reply reply = call(short_run(folder / "run"), {.terminal = true});
  EXPECT_THAT(reply.err, AllOf(HasSubstr("\x1b[J"), HasSubstr("█"), HasSubstr("stage 1/10")));
}

TEST(Train, MistakesAreToldWithAWayOut) {
  EXPECT_EQ(call("train --setting A3V3").code, 64);
  EXPECT_THAT(call("train --model schemamem --recipe fats").err, HasSubstr("Did you mean \"fast\"?"));
  EXPECT_THAT(call("train --model schemamem --set optimizer.clipp=1").err, HasSubstr("optimizer.clip\"?"));
  EXPECT_EQ(call("resume").code, 64);
  EXPECT_EQ(call("resume /nowhere/at/all").code, 66);
}

TEST(Train, ASignalSavesAndEndsWithCode75AndTheRunCanBeResumed) {
  const TemporaryFolder folder;
  int attempt = 0;
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const Reply reply = call("train --model gdn --setting A2V2 --threads 2 --out " + (folder / "run").string());
      ::_exit(reply.err.find("error:") == std::string::npos ? reply.code : 1);  // it did as it was told
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(700 + 400 * attempt++));
    ::kill(child, signal);
    const auto sent = std::chrono::steady_clock::now();
    int status = 0;
    ::waitpid(child, &status, 0);
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - sent;
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 75);
    EXPECT_LT(waited.count(), 2.0);
  }
}

/// What becomes of a process that is asked to stop before its command has begun.
int end_of_early_stop(const std::string& arguments) {
  const pid_t child = ::fork();
  if (child == 0) {
    hold_stop_signals();
    ::raise(SIGTERM);
    ::_exit(call(arguments).code);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(Train, ASignalThatComesBeforeItHasBegunIsNotLost) {
  const TemporaryFolder folder;
  EXPECT_EQ(end_of_early_stop(short_run(folder / "run")), 75);
  EXPECT_TRUE(std::filesystem::exists(folder / "run" / "checkpoints" / "step-000000000" / "complete.json"));
  EXPECT_EQ(end_of_early_stop("task describe --setting A3V3"), -SIGTERM) << "other commands just end";
}

TEST(Config, ExplainShowsEveryFieldWithItsOrigin) {
  const Reply reply = call("config explain --recipe steady --set optimizer.clip=0.5");
  EXPECT_EQ(reply.code, 0) << reply.err;
  EXPECT_THAT(reply.out, AllOf(HasSubstr("clip = 0.5"), HasSubstr("--set"), HasSubstr("configs/steady.toml"),
                               HasSubstr("longest gradient norm")));
}

TEST(Config, ExplainAsJsonHasNumbersAsNumbersAndTextsAsTexts) {
  const auto answer = nlohmann::json::parse(call("config explain --recipe fast --json").out);
  EXPECT_TRUE(answer.at("batch.episodes").at("value").is_number_integer());
  EXPECT_TRUE(answer.at("optimizer.clip").at("value").is_number());
  EXPECT_TRUE(answer.at("batch.mixed").at("value").is_boolean());
  EXPECT_EQ(answer.at("initial.scheme").at("value"), "ours");
}

TEST(Bar, FillsInProportion) {
  EXPECT_EQ(bar(0, 4), "░░░░");
  EXPECT_EQ(bar(50, 4), "██░░");
  EXPECT_EQ(bar(100, 4), "████");
}

}  // namespace
}  // namespace schemamem
