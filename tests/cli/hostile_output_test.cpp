// Text of files on a terminal: nothing of it steers the terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/cli.h"
#include "support/hostile.h"
#include "support/made_runs.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::call;
using test::Reply;
using test::text_of;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string kEscape = "\x1b]0;owned\x07\x1b[2J";
const std::string kShown = R"(\x1b]0;owned\x07\x1b[2J)";

class HostileOutput : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(call(test::short_training(run())).code, 2);
    fs::remove(run() / "result.json");
  }
  fs::path run() const { return folder_ / "run"; }

  void expect_shown_escaped(const std::string& arguments) const {
    const Reply reply = call(arguments);
    const std::string said = reply.out + reply.err;
    EXPECT_THAT(said, AllOf(HasSubstr(kShown), Not(HasSubstr("\x1b")), Not(HasSubstr("\x07")))) << arguments;
  }

  TemporaryFolder folder_;
};

TEST_F(HostileOutput, TheReasonOfAFailedRunIsEscaped) {
  test::write_victim(run() / "failed.json", json{{"message", kEscape + "\nall runs passed"}}.dump());
  expect_shown_escaped("watch --once " + run().string());
  EXPECT_THAT(call("watch --once " + run().string()).out, HasSubstr(R"(\x0aall runs passed)"));
  fs::copy(run(), folder_ / "run2", fs::copy_options::recursive);
  expect_shown_escaped("watch --once " + folder_.path().string());
  const Reply reply = call("watch --once --json " + run().string());
  EXPECT_THAT(reply.out, Not(HasSubstr("\x1b")));
  EXPECT_EQ(json::parse(reply.out)["runs"][0]["message"], kEscape + "\nall runs passed");
}

TEST_F(HostileOutput, NamesInTheMetricsAreEscaped) {
  const json check{{"step", 4},
                   {"check", kEscape},
                   {"lowest", 1},
                   {"threshold", 2},
                   {"groups", {{{"scenario", kEscape}, {"group", "x"}, {"asked", 1}, {"right", 1}}}}};
  test::write_victim(run() / "metrics.jsonl", check.dump() + "\n");
  expect_shown_escaped("watch --once " + run().string());
}

TEST_F(HostileOutput, TheNameOfAFolderIsEscaped) {
  const fs::path other = folder_ / ("x" + kEscape);
  fs::create_directories(other);
  test::write_victim(other / "run.json", "{}");
  expect_shown_escaped("watch --once " + folder_.path().string());
  expect_shown_escaped("report " + folder_.path().string() + " -o " + (folder_ / "page.html").string());
}

TEST_F(HostileOutput, AnErrorAboutAFileIsEscaped) {
  json manifest = json::parse(text_of(run() / "run.json"));
  manifest["hash"] = kEscape;
  test::write_victim(run() / "run.json", manifest.dump());
  expect_shown_escaped(test::short_training(run()));
}

TEST_F(HostileOutput, TheStagesOfAFinishedRunAreEscaped) {
  const json manifest = json::parse(test::text_of(run() / "run.json"));
  const json result{{"hash", manifest.at("hash")},
                    {"status", "step-limit"},
                    {"steps", 8},
                    {"seconds", 1},
                    {"weights", "last"},
                    {"passed", {{{"name", kEscape}, {"step", 4}, {"lowest", 99.0}}}}};
  test::write_victim(run() / "result.json", result.dump());
  expect_shown_escaped("resume " + run().string());
}

}  // namespace
}  // namespace schemamem
