#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "support/cli.h"
#include "support/made_runs.h"
#include "support/temporary_folder.h"
#include "system/files.h"

namespace schemamem {
namespace {

using nlohmann::json;
using test::call;
using test::Reply;
using testing::HasSubstr;

constexpr const char* kCases = " --setting A3V3 --scenario overwrite --delay 96 --episodes 4";

/// Predictions of some program as lines of JSON: what it answers to each token that the dump shows.
std::string predictions(const std::function<int(const json& token)>& answer) {
  std::string text = call(std::string("task dump") + kCases + " --about").out;
  std::istringstream lines(call(std::string("task dump") + kCases).out);
  int episode = 0;
  for (std::string line; std::getline(lines, line); ++episode) {
    const json shown = json::parse(line);
    json answers = json::array();
    for (const json& token : shown.at("tokens")) answers.push_back(answer(token));
    text += json{{"case", "overwrite_96"}, {"episode", episode}, {"answers", answers}}.dump() + "\n";
  }
  return text;
}

std::string write(const TemporaryFolder& folder, const std::string& text) {
  const std::filesystem::path file = folder / "predictions.jsonl";
  std::ofstream(file) << text;
  return file.string();
}

double exact(const json& scored, const std::string& group) {
  for (const json& cell : scored.at("cells")) {
    if (cell.at("group") == group) return cell.at("exact");
  }
  return -1;
}

int expected(const json& token) { return std::max(0, token.at(2).get<int>()); }
int address(const json& token) { return token.at(0).get<int>(); }  // what an address holds before it is written

TEST(Score, WhoAnswersWhatIsExpectedHasAllAndWhoKnowsTheDefaultsHasThose) {
  const TemporaryFolder folder;
  const json right = json::parse(call("score " + write(folder, predictions(expected)) + " --json").out);
  for (const char* group : {"updated", "default"}) EXPECT_EQ(exact(right, group), 100) << group;
  const json forgetful = json::parse(call("score " + write(folder, predictions(address)) + " --json").out);
  EXPECT_EQ(exact(forgetful, "default"), 100);
  EXPECT_EQ(exact(forgetful, "updated"), 0);  // a write never repeats the default
}

TEST(Score, AKeptGuestIsShownByPaperBesideOurs) {
  const TemporaryFolder folder;
  const std::string guests = (folder / "guests").string();
  const Reply kept =
      call("score " + write(folder, predictions(expected)) + " --name my-gru --parameters 57000 -o " + guests);
  ASSERT_EQ(kept.code, 0) << kept.err;
  EXPECT_TRUE(std::filesystem::exists(folder / "guests" / "my-gru-A3V3-s0" / "guest.json"));
  test::write_run(folder / "runs", {});
  const std::string runs = (folder / "runs").string(), out = (folder / "paper").string();
  const Reply tables = call("paper tables " + runs + " " + guests + " -o " + out);
  EXPECT_EQ(tables.code, 0) << tables.err;
  EXPECT_THAT(read_text_file(folder / "paper" / "tables" / "guests.md", 1 << 20).value(), HasSubstr("my-gru"));
}

TEST(Score, PredictionsForOtherEpisodesAreRefused) {
  const TemporaryFolder folder;
  std::string text = predictions(expected);
  text.replace(text.find("20261001"), 8, "20261002");
  const Reply reply = call("score " + write(folder, text));
  EXPECT_EQ(reply.code, 65);
  EXPECT_THAT(reply.err, HasSubstr("overwrite"));
}

TEST(Score, AMissingEpisodeIsRefused) {
  const TemporaryFolder folder;
  const std::string text = predictions(expected);
  EXPECT_EQ(call("score " + write(folder, text.substr(0, text.rfind("{\"answers")))).code, 65);
}

}  // namespace
}  // namespace schemamem
