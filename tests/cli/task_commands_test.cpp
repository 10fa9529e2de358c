#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/cli.h"
#include "support/test_data.h"

namespace schemamem {
namespace {

using nlohmann::json;
using test::call;
using test::Reply;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::vector<json> json_lines(const std::string& text) {
  std::vector<json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(json::parse(line));
  return lines;
}

class OutputFolder : public testing::Test {
 protected:
  OutputFolder() : folder_(std::filesystem::path(testing::TempDir()) / "schemamem_task_dump") {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~OutputFolder() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

TEST(TaskDescribe, ShowsSizesBitsDefaultsAndEveryScenario) {
  const Reply reply = call("task describe --setting A4V3");
  EXPECT_EQ(reply.code, 0);
  EXPECT_EQ(reply.err, "");
  EXPECT_THAT(reply.out, AllOf(HasSubstr("A4V3: 16 addresses, each holding one of 8 values"),
                               HasSubstr("8 numbers a token: 4 address bits, 3 value bits, 1 validity bit"),
                               HasSubstr("0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7\n"), HasSubstr("W(8) Q(16) W(4) D Q(16)"),
                               HasSubstr("44 + delay")));
}

TEST(TaskDescribe, SaysTheSameInJson) {
  const json answer = json::parse(call("task describe --setting A4V3 --json").out);
  EXPECT_EQ(answer.at("addresses"), 16);
  EXPECT_EQ(answer.at("values"), 8);
  EXPECT_EQ(answer.at("input_width"), 8);
  ASSERT_EQ(answer.at("scenarios").size(), 8U);
  const json& overwrite = answer.at("scenarios").at(6);
  EXPECT_EQ(overwrite.at("name"), "overwrite");
  EXPECT_EQ(overwrite.at("groups"), json({"retained", "updated", "default"}));
  EXPECT_EQ(overwrite.at("tokens_without_delay"), 44);
  EXPECT_EQ(overwrite.at("segments").at(2), json({{"kind", "write"}, {"tokens", 4}}));
}

TEST(TaskDescribe, ColumnsOfTheLargestSettingDoNotRunTogether) {
  std::istringstream lines(call("task describe --setting A16V16").out);
  std::size_t tokens = 0, rows = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("scored groups") != std::string::npos) {
      tokens = line.find("tokens");
    } else if (tokens != 0 && line.empty()) {
      break;
    } else if (tokens != 0) {
      ++rows;
      EXPECT_EQ(line.substr(tokens - 2, 2), "  ") << line;
      EXPECT_NE(line.at(tokens), ' ') << line;
    }
  }
  EXPECT_GE(rows, 8U);
}

TEST(TaskDescribe, TakesA3V3WhenNothingIsSaid) { EXPECT_THAT(call("task describe").out, HasSubstr("A3V3")); }

TEST(TaskSample, FoldsTheDelayIntoOneLine) {
  const Reply reply = call("task sample --setting A3V3 --scenario retention --delay 96");
  EXPECT_EQ(reply.code, 0);
  EXPECT_THAT(reply.out, AllOf(HasSubstr("… 96 reads of never-written addresses"), HasSubstr("retained"),
                               HasSubstr("default"), Not(HasSubstr("updated")), HasSubstr("    107   [")));
  EXPECT_THAT(call("task sample --setting A3V3 --scenario retention --delay 1").out, HasSubstr("… 1 read of"));
}

TEST(TaskSample, ShowsTheTokensThatTheDumpHas) {
  const std::string request = " --setting A3V3 --scenario overwrite --delay 8 ";
  const auto lines = json_lines(call("task dump" + request + "--episodes 512").out);
  for (const int episode : {0, 127, 128, 511}) {
    const json sample = json::parse(call("task sample" + request + "--json --episode " + std::to_string(episode)).out);
    EXPECT_EQ(sample, lines.at(static_cast<std::size_t>(episode)));
  }
  const Reply table = call("task sample" + request);
  for (const json& token : lines.at(0).at("tokens")) {
    if (token.at(3) == 3) continue;  // folded
    const std::string input =
        token.at(1) == -1 ? "[" + token.at(0).dump() + "] ?" : "[" + token.at(0).dump() + "] := " + token.at(1).dump();
    EXPECT_THAT(table.out, HasSubstr(input));
  }
}

TEST(TaskSample, TakesTrainingEpisodesOfASeed) {
  const std::string request = "task sample --setting A4V4 --scenario transaction-half --seed ";
  const json first = json::parse(call(request + "42 --episode 3 --json").out);
  EXPECT_EQ(first.at("source"), "train");
  EXPECT_EQ(first.at("tokens").size(), 12U);
  EXPECT_EQ(first,
            json_lines(call("task dump --setting A4V4 --scenario transaction-half --seed 42 --episodes 4").out).at(3));
  EXPECT_NE(first.at("tokens"), json::parse(call(request + "43 --episode 3 --json").out).at("tokens"));
}

TEST(TaskDump, GivesOneLinePerEpisodeWithTheSegmentEnds) {
  const auto lines = json_lines(call("task dump --setting A3V3 --scenario interference --delay 8 --episodes 2").out);
  const json golden = test::read_json_data("episodes/numpy_episodes.json");
  const json& expected = golden.at("small_episodes_two_rows").at("A3V3/interference/8");
  ASSERT_EQ(lines.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(lines[i].at("episode"), i);
    EXPECT_EQ(lines[i].at("tokens"), expected.at(i));
    EXPECT_EQ(lines[i].at("segment_ends"), json({2, 10, 12, 28}));
  }
}

TEST_F(OutputFolder, HoldsACompleteDumpAndNothingElse) {
  const auto path = folder_ / "episodes.jsonl";
  const std::string request = "task dump --setting A3V3 --scenario immediate --episodes 3";
  const Reply reply = call(request + " -o " + path.string());
  EXPECT_EQ(reply.code, 0);
  EXPECT_EQ(reply.out, "");
  EXPECT_THAT(reply.err, HasSubstr("3 episodes of A3V3/immediate/0 written to"));
  std::ifstream file(path);
  const std::string written{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(written, call(request).out);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(OutputFolder, StaysEmptyWhenTheRequestIsWrong) {
  const std::string output = " -o " + (folder_ / "episodes.jsonl").string();
  EXPECT_EQ(call("task dump --setting A3V3 --scenario immediate --episodes 0" + output).code, 64);
  EXPECT_EQ(call("task dump --setting A3V3 --scenario transaction-half" + output).code, 64);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(OutputFolder, ThatDoesNotExistCannotHoldADump) {
  const Reply reply =
      call("task dump --setting A3V3 --scenario immediate -o " + (folder_ / "missing" / "episodes.jsonl").string());
  EXPECT_EQ(reply.code, 73);
  EXPECT_THAT(reply.err, HasSubstr("missing"));
}

TEST(TaskHash, EqualsThePublishedHashes) {
  const json hashes = test::read_json_data("episodes/numpy_episodes.json").at("sha256");
  for (const auto& [setting, scenario, delay] : std::vector<std::array<std::string, 3>>{
           {"A3V3", "retention", "96"}, {"A4V5", "overwrite", "384"}, {"A5V4", "immediate", "0"}}) {
    const std::string request = "task hash --setting " + setting + " --scenario " + scenario + " --delay " + delay;
    const auto expected = hashes.at(setting + "/" + scenario + "/" + delay).get<std::string>();
    const json answer = json::parse(call(request + " --json").out);
    EXPECT_EQ(answer.at("sha256"), expected);
    EXPECT_EQ(answer.at("episodes"), 512);
    EXPECT_EQ(call(request).out, expected + "  " + setting + "/" + scenario + "/" + delay + "\n");
  }
}

TEST(TaskHash, DependsOnSeedAndNumberOfEpisodes) {
  const std::string request = "task hash --setting A3V3 --scenario immediate";
  const std::string paper = call(request).out;
  EXPECT_EQ(call(request + " --eval-seed 20261001 --episodes 512").out, paper);
  EXPECT_NE(call(request + " --eval-seed 20261002").out, paper);
  EXPECT_NE(call(request + " --episodes 511").out, paper);
}

}  // namespace
}  // namespace schemamem
