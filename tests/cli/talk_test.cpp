#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "support/cli.h"
#include "support/surroundings.h"
#include "support/temporary_folder.h"

namespace schemamem {
namespace {

using nlohmann::json;
using test::call;
using test::Reply;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

/// Stands in the repository, where the published models are.
class TalkCommand : public testing::Test {
 protected:
  static Reply say(const std::string& lines, const std::string& options = "") {
    return call("talk a3v3-schemamem-steady-s42 " + options, {.in = lines});
  }

  test::CurrentFolder here_{SCHEMAMEM_SOURCE_DIR};
};

TEST_F(TalkCommand, AnswersInWords) {
  const Reply reply = say("write 5 3\nwait 1000\nask 5\n");
  EXPECT_EQ(reply.code, 0) << reply.err;
  EXPECT_THAT(reply.out, HasSubstr("5 -> 3   (sure: "));
  EXPECT_THAT(reply.err, IsEmpty());
}

TEST_F(TalkCommand, AnswersOneLineOfJsonForEachLine) {
  const Reply reply = say("{\"write\":[5,3]}\n{\"ask\":5}\n{\"ask\":99}\nnonsense\n{\"ask\":5}", "--json");
  EXPECT_EQ(reply.code, 0) << reply.err;
  std::istringstream lines(reply.out);
  std::vector<json> answers;
  for (std::string line; std::getline(lines, line);) answers.push_back(json::parse(line));
  ASSERT_EQ(answers.size(), 5U) << "errors keep the conversation alive, and a last line needs no end";
  EXPECT_EQ(answers[0], json({{"ok", true}}));
  EXPECT_EQ(answers[1]["value"], 3);
  EXPECT_EQ(answers[2]["kind"], "usage");
  EXPECT_EQ(answers[3]["kind"], "usage");
  EXPECT_EQ(answers[4]["ask"], 5);
}

TEST_F(TalkCommand, MarksWhatIsWrongByAWord) {
  const TemporaryFolder folder;
  const std::string state = (folder.path() / "a.state").string(), empty = (folder.path() / "b.state").string();
  ASSERT_EQ(say("write 5 3\nsave " + state + "\n").code, 0);
  const Reply zero = call("state zero " + state + " " + empty);
  ASSERT_EQ(zero.code, 0) << zero.err;
  const Reply all = say("ask all\n", "--state " + empty);
  EXPECT_THAT(all.out, AllOf(HasSubstr("written  wrong"), HasSubstr("7 of 8 right")));
}

TEST_F(TalkCommand, TellsAtTheEndThatLinesFailed) {
  const Reply reply = say("write 5\nask 5\n" + std::string(10'000, 'x') + "\nquit\nask 5\n");
  EXPECT_EQ(reply.code, 1);
  EXPECT_THAT(reply.err, AllOf(HasSubstr("`write ADDRESS VALUE`"), HasSubstr("at most 8192 bytes"),
                               HasSubstr("2 of 4 lines failed")))
      << "nothing is heard behind quit";
}

TEST_F(TalkCommand, SavesOverStatesButOverNothingElse) {
  const TemporaryFolder folder;
  const auto other = folder.path() / "thesis.txt";
  std::ofstream(other) << "years of work";
  const Reply reply = say("save " + other.string() + "\nsave " + (folder.path() / "a").string() + "\nsave " +
                          (folder.path() / "a").string() + "\n");
  EXPECT_THAT(reply.err, AllOf(HasSubstr("stays as it is"), HasSubstr("1 of 3 lines failed")));
  std::string text;
  std::getline(std::ifstream(other), text);
  EXPECT_EQ(text, "years of work");
}

TEST_F(TalkCommand, NeedsAModelThatIsWrittenAndAsked) {
  EXPECT_THAT(call("talk").err, HasSubstr("`schemamem models` lists the names"));
  EXPECT_THAT(call("talk a3v3-shemamem-steady-s42").err, HasSubstr("Did you mean \"a3v3-schemamem-steady-s42\"?"));
}

TEST_F(TalkCommand, SurvivesRandomLinesWithAnAnswerToEach) {
  std::mt19937 random(1);
  const std::vector<std::string> words{"write", "ask", "all",     "wait", "fork", "switch", "drop",
                                       "main",  "5",   "3",       "-1",   "99",   "x",      "{",
                                       "}",     "\"",  "\"ask\"", ":",    "[5",   "reset"};
  std::string lines;
  for (int line = 0; line < 2000; ++line) {
    std::string text;
    for (auto left = random() % 5; left > 0; --left) text += words[random() % words.size()] + " ";
    if (random() % 8 == 0 && !text.empty()) text[random() % text.size()] = static_cast<char>(random() % 255 + 1);
    std::replace(text.begin(), text.end(), '\n', ' ');
    lines += text + "\n";
  }
  const Reply plain = say(lines), structured = say(lines, "--json");
  EXPECT_EQ(plain.code, 1);
  EXPECT_EQ(structured.code, 0);
  std::istringstream answers(structured.out);
  for (std::string line; std::getline(answers, line);) EXPECT_TRUE(json::accept(line)) << line;
}

TEST_F(TalkCommand, StateFilesTellWhatTheyHoldAndHowTheyDiffer) {
  const TemporaryFolder folder;
  const std::string a = (folder.path() / "a.state").string(), b = (folder.path() / "b.state").string();
  ASSERT_EQ(say("save " + a + "\nwrite 5 3\nsave " + b + "\n").code, 0);
  const json info = json::parse(call("state info " + b + " --json").out);
  EXPECT_EQ(info["model"], "schemamem");
  EXPECT_EQ(info["tokens"], 1);
  EXPECT_EQ(info["written"], "5=3");
  const json diff = json::parse(call("state diff " + a + " " + b + " --json").out);
  EXPECT_EQ(diff["tokens"], 1);
  std::size_t places = 0;
  for (const json& layer : diff["layers"]) places += layer["different"].size();
  EXPECT_GT(places, 0U);
  EXPECT_THAT(call("state info " + b).out, AllOf(HasSubstr("written  5=3"), HasSubstr("layer 3: ")));
  EXPECT_EQ(call("state zero " + b + " " + a).code, 73) << "nothing is overwritten";
  EXPECT_EQ(call("state info README.md").code, 65);
  EXPECT_EQ(call("state info").code, 64);
}

TEST_F(TalkCommand, TheListOfModelsHasScoresWithin80Columns) {
  const json models = json::parse(call("models a5v5-schemamem-steady --json").out)["models"];
  ASSERT_EQ(models.size(), 3U);
  EXPECT_EQ(models[0]["name"], "a5v5-schemamem-steady-s42");
  EXPECT_GT(models[0]["exact"]["1536"]["retained_r"], 99);
  EXPECT_TRUE(models[0]["exact"].contains("98304"));
  std::istringstream lines(call("models").out);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(line.size(), 80U) << line;
  EXPECT_GT(count, 100U);
  EXPECT_EQ(call("models no-such").code, 66);
}

}  // namespace
}  // namespace schemamem
