#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/cli.h"
#include "support/test_data.h"
#include "system/exit_codes.h"

namespace schemamem {
namespace {

using nlohmann::json;
using test::call;
using test::Reply;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Cli, EveryKindOfErrorHasItsDocumentedExitCode) {
  EXPECT_EQ(exit_code(ErrorKind::kFailed), 1);
  EXPECT_EQ(exit_code(ErrorKind::kStepLimit), 2);
  EXPECT_EQ(exit_code(ErrorKind::kUsage), 64);
  EXPECT_EQ(exit_code(ErrorKind::kBadData), 65);
  EXPECT_EQ(exit_code(ErrorKind::kMissingInput), 66);
  EXPECT_EQ(exit_code(ErrorKind::kCannotCreate), 73);
  EXPECT_EQ(exit_code(ErrorKind::kInputOutput), 74);
  EXPECT_EQ(exit_code(ErrorKind::kInterrupted), 75);
  EXPECT_EQ(exit_code(ErrorKind::kNonFinite), 76);
}

TEST(Cli, TheVersionNamesCommitInstructionSetAndCompiler) {
  const Reply reply = call("--version");
  EXPECT_EQ(reply.code, 0);
  EXPECT_THAT(reply.out, AllOf(StartsWith("schemamem "), HasSubstr("commit"), HasSubstr("instruction set"),
                               HasSubstr("compiler")));
  EXPECT_EQ(reply.err, "");
  const json answer = json::parse(call("--version --json").out);
  for (const char* key : {"version", "commit", "instruction_set", "compiler", "build_type"})
    EXPECT_FALSE(answer.at(key).get<std::string>().empty()) << key;
}

TEST(Cli, EveryHelpPageShowsExamplesBeforeTheUsage) {
  for (const std::string command : {"", "task ", "task describe ", "task sample ", "task dump ", "task hash "}) {
    const Reply reply = call(command + "--help");
    EXPECT_EQ(reply.code, 0) << command;
    EXPECT_EQ(reply.err, "");
    const auto examples = reply.out.find("Examples:\n  schemamem ");
    const auto usage = reply.out.find("Usage: schemamem " + command);
    ASSERT_NE(examples, std::string::npos) << command;
    ASSERT_NE(usage, std::string::npos) << command;
    EXPECT_LT(examples, usage);
    EXPECT_THAT(reply.out, AllOf(HasSubstr("--json"), HasSubstr("--color")));
  }
}

/// Every page of the program, from the commands that each page lists.
void all_pages(const std::string& command, std::vector<std::string>& pages) {
  pages.push_back(call(command + "--help").out);
  std::istringstream page(pages.back());
  std::string line;
  while (std::getline(page, line) && line != "Commands:") continue;
  while (std::getline(page, line) && !line.empty()) {
    std::istringstream words(line);
    std::string name;
    if (line.starts_with("  ") && line[2] != ' ' && words >> name) all_pages(command + name + " ", pages);
  }
}

TEST(Cli, NoLineOfAHelpPageIsWiderThan80Columns) {
  std::vector<std::string> pages;
  all_pages("", pages);
  EXPECT_GT(pages.size(), 25U);
  for (const std::string& page : pages) {
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  }
}

TEST(Cli, HelpNamesTheArgumentsOfACommand) {
  EXPECT_THAT(call("eval --help").out,
              AllOf(HasSubstr("Usage: schemamem eval RUNS... [options]"), HasSubstr("Arguments:\n  RUNS ")));
  for (const char* const usage : {"talk CHECKPOINT", "state info FILE", "resume RUN", "watch RUN", "sweep run DIR",
                                  "sweep status DIR", "ablate RUNS", "paper all RUNS", "report RUNS"}) {
    const std::string text(usage), command = text.substr(0, text.rfind(' '));
    EXPECT_THAT(call(command + " --help").out, AllOf(HasSubstr("Usage: schemamem " + text),
                                                     HasSubstr("Arguments:\n  " + text.substr(text.rfind(' ') + 1))));
  }
  EXPECT_EQ(call("help eval").out, call("eval --help").out);
  EXPECT_EQ(call("help").out, call("--help").out);
  EXPECT_EQ(call("version").out, call("--version").out);
}

TEST(Cli, AReaderThatHasSeenEnoughIsNoError) {
  const std::string dump = SCHEMAMEM_PROGRAM " task dump --setting A3V3 --scenario immediate --episodes 5000";
  EXPECT_EQ(std::system(("bash -c 'set -o pipefail; " + dump + " | head -1 >/dev/null'").c_str()), 0);
}

TEST(Cli, EveryExampleOfEveryHelpPageWorks) {
  for (const std::string command : {"task ", "task describe ", "task sample ", "task hash "}) {
    std::string whole = call(command + "--help").out;
    for (std::size_t broken; (broken = whole.find("\\\n      ")) != std::string::npos;) whole.erase(broken, 8);
    std::istringstream page(whole);
    int examples = 0;
    for (std::string line; std::getline(page, line) && !line.starts_with("Usage");) {
      if (!line.starts_with("  schemamem ")) continue;
      ++examples;
      EXPECT_EQ(call(line.substr(std::string("  schemamem ").size())).code, 0) << line;
    }
    EXPECT_GE(examples, 2) << command;
  }
}

TEST(Cli, ColoursAppearOnATerminalOnlyAndNotAgainstTheUsersWill) {
  const std::string command = "task describe";
  EXPECT_THAT(call(command, {.terminal = true}).out, HasSubstr("\x1b["));
  EXPECT_THAT(call(command).out, Not(HasSubstr("\x1b[")));
  EXPECT_THAT(call(command, {.terminal = true, .no_color = true}).out, Not(HasSubstr("\x1b[")));
  EXPECT_THAT(call(command + " --color never", {.terminal = true}).out, Not(HasSubstr("\x1b[")));
  EXPECT_THAT(call("--color always " + command, {.no_color = true}).out, HasSubstr("\x1b["));
  EXPECT_THAT(call("task", {.terminal = true}).err, HasSubstr("\x1b["));
  EXPECT_THAT(call(command + " --json", {.terminal = true}).out, Not(HasSubstr("\x1b[")));
}

TEST(Cli, AnOutputThatCannotBeWrittenIsAnInputOutputError) {
  for (const char* command : {"--help", "--version", "task describe", "task hash --setting A3V3 --scenario immediate",
                              "task dump --setting A3V3 --scenario immediate"}) {
    const Reply reply = call(command, {.broken_output = true});
    EXPECT_EQ(reply.code, 74) << command;
    EXPECT_THAT(reply.err, HasSubstr("standard output failed")) << command;
  }
}

struct BadCall {
  const char* arguments;
  const char* message;
};

class BadCalls : public testing::TestWithParam<BadCall> {};

TEST_P(BadCalls, AreRefusedWithTheMistakeAndTheWayOut) {
  const Reply reply = call(GetParam().arguments);
  EXPECT_EQ(reply.code, 64);
  EXPECT_EQ(reply.out, "");
  EXPECT_THAT(reply.err, AllOf(StartsWith("error: "), HasSubstr(GetParam().message), EndsWith("--help`.\n")));
}

INSTANTIATE_TEST_SUITE_P(
    Cli, BadCalls,
    testing::Values(
        BadCall{"", "`schemamem` needs a command: one of talk, explore, models"},
        BadCall{"task", "`schemamem task` needs a command: one of describe, sample, dump, hash"},
        BadCall{"tsk",
                "Unknown command \"tsk\" of `schemamem`: expected one of talk, explore, models, state, task, inspect, "
                "verify, bench, train, resume, "
                "watch, sweep, plan, config, eval, ablate, calibrate, score, paper, report, check. Did you mean "
                "\"task\"?"},
        BadCall{"plan --nodes 8,0", "--nodes"}, BadCall{"plan --bandwidth fast", "--bandwidth"},
        BadCall{"plan --set batch.shards=600", "batch.shards is 600, more than the 512 episodes"},
        BadCall{"task hsh", "Did you mean \"hash\"?"},
        BadCall{"--vresion", "Unknown option \"--vresion\" of `schemamem`. Did you mean \"--version\"?"},
        BadCall{"-x", "Unknown option \"-x\""},
        BadCall{"--color blue", "--color must be auto, always or never, found \"blue\""},
        BadCall{"--color alwys task describe", "Did you mean \"always\"?"},
        BadCall{"task describe --seting A3V3", "Did you mean \"--setting\"?"},
        BadCall{"task describe --seting=A3V3", "Unknown option \"--seting\" of"},
        BadCall{"task describe A3V3", "Unexpected argument \"A3V3\": `schemamem task describe` takes options only"},
        BadCall{"task describe --setting A3", "Unknown setting \"A3\""},
        BadCall{"task describe --setting a4v5", "Did you mean \"A4V5\"?"},
        BadCall{"task describe --setting A17V3", "The nearest is A16V3"},
        BadCall{"task describe --setting", "Option --setting needs a value"},
        BadCall{"task describe --setting A3V3 --setting A3V4", "Option --setting was given 2 times"},
        BadCall{"task describe --json --json", "Option --json was given 2 times"},
        BadCall{"task hash --scenario retention --delay 96", "--setting is missing"},
        BadCall{"task hash --setting A3V3 --delay 96", "--scenario is missing"},
        BadCall{"task hash --setting A3V3 --scenario retenton --delay 96", "Did you mean \"retention\"?"},
        BadCall{"task hash --setting A3V3 --scenario retention", "needs a delay, none was given"},
        BadCall{"task hash --setting A3V3 --scenario retention --delay", "Option --delay needs a value"},
        BadCall{"task hash --setting A3V3 --scenario immediate --delay --json",
                "--delay needs a value, but \"--json\""},
        BadCall{"task dump --setting A3V3 --scenario immediate -o --json", "--output needs a value, but \"--json\""},
        BadCall{"task hash --setting A3V3 --scenario retention --delay -1", "The delay must be at least 0"},
        BadCall{"task hash --setting A3V3 --scenario retention --delay 1000001", "The delay must be at most 1000000"},
        BadCall{"task hash --setting A3V3 --scenario retention --delay 99999999999999999999", "at most 1000000"},
        BadCall{"task hash --setting A3V3 --scenario retention --delay 9.5", "must be a whole number"},
        BadCall{"task hash --setting A3V3 --scenario immediate --delay 96", "has no delay, found delay 96"},
        BadCall{"task hash --setting A3V3 --scenario transaction-half", "for training only"},
        BadCall{"task hash --setting A3V3 --scenario immediate --episodes 0", "--episodes must be at least 1"},
        BadCall{"task hash --setting A3V3 --scenario immediate --eval-seed -3", "--eval-seed must be at least 0"},
        BadCall{"task sample --setting A3V3 --scenario transaction-half", "Or add --seed"},
        BadCall{"task sample --setting A3V3 --scenario immediate --episode x", "--episode must be a whole number"},
        BadCall{"task sample --setting A3V3 --scenario immediate --seed 1 --eval-seed 1", "exclude each other"},
        BadCall{"task dump --setting A3V3 --scenario immediate --episodes 1000001", "--episodes must be at most"},
        BadCall{"task dump --setting A3V3 --scenario immediate --seed 9223372036854775807", "--seed must be at most"}));

}  // namespace
}  // namespace schemamem
