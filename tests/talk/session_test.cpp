#include "talk/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "catalog/model_files.h"

namespace schemamem {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

AddressMemory published_memory(const std::string& model = "schemamem") {
  const std::string begin = model + "-A3V3-steady-s42-";
  for (const auto& entry : std::filesystem::directory_iterator(SCHEMAMEM_SOURCE_DIR "/results/steady")) {
    if (entry.path().filename().string().starts_with(begin))
      return AddressMemory::make(load_model<float>(entry.path().string()).value()).value();
  }
  throw std::runtime_error("no published model");
}

/// A conversation whose files are in memory.
struct Talk {
  explicit Talk(const std::string& model = "schemamem")
      : session(published_memory(model),
                {.save = [this](const std::string& file, const AddressMemory& memory) -> Status {
                   files[file] = memory.encode();
                   return Done{};
                 },
                 .load = [this](const std::string& file, AddressMemory& memory) -> Status {
                   if (!files.contains(file)) return Error(ErrorKind::kMissingInput, file + ": no such file");
                   return memory.restore(files[file].span(), file);
                 }}) {}

  json say(const std::string& line) {
    const auto requests = parse_words(line);
    if (!requests) return json::parse(json_line(requests.error()));
    const auto reply = session.answer(requests->at(0));
    return json::parse(reply ? json_line(*reply) : json_line(reply.error()));
  }

  std::map<std::string, Buffer<std::byte>> files;
  Session session;
};

class TalkWithEachModel : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Session, TalkWithEachModel, testing::Values("schemamem", "mamba3", "gdn"));

TEST_P(TalkWithEachModel, RemembersWhatWasWrittenAndShowsWhatTheWriteChanged) {
  Talk talk(GetParam());
  EXPECT_EQ(talk.say("write 5 3"), json({{"ok", true}}));
  EXPECT_EQ(talk.say("wait 100"), json({{"wait", 100}}));
  const json answer = talk.say("ask 5");
  EXPECT_EQ(answer["value"], 3);
  EXPECT_GT(answer["confidence"], 0.5);
  const json all = talk.say("ask all");
  EXPECT_EQ(all["right"], 8);
  EXPECT_EQ(all["answers"][5], json({{"address", 5},
                                     {"value", 3},
                                     {"confidence", all["answers"][5]["confidence"]},
                                     {"true", 3},
                                     {"written", true}}));
  const json inside = talk.say("inside");
  EXPECT_EQ(inside["last_write"], json({5, 3}));
  double change = 0;
  for (const json& layer : inside["inside"]) {
    for (const json& place : layer["holding"]) change = std::max(change, place["changed"].get<double>());
  }
  EXPECT_GT(change, 0.005) << inside;
}

TEST(Session, SaysThatAnEmptyMemoryHoldsNothing) {
  Talk talk;
  const json inside = talk.say("inside");
  EXPECT_EQ(inside["last_write"], json());
  ASSERT_EQ(inside["inside"].size(), 3U);
  for (const json& layer : inside["inside"]) EXPECT_TRUE(layer["holding"].empty());
}

TEST(Session, ForksHaveTheSamePastAndFuturesOfTheirOwn) {
  Talk talk("gdn");
  talk.say("write 5 3");
  EXPECT_EQ(talk.say("fork")["fork"], "fork-1");
  EXPECT_EQ(talk.say("fork other")["memories"], json({"fork-1", "main", "other"}));
  talk.say("switch other");
  talk.say("write 5 6");
  EXPECT_EQ(talk.say("ask 5")["value"], 6);
  talk.say("switch main");
  EXPECT_EQ(talk.say("ask 5")["value"], 3);
  EXPECT_EQ(talk.say("fork other")["kind"], "usage") << "there is one of that name";
  EXPECT_EQ(talk.say("drop main")["kind"], "usage") << "it is in use";
  talk.say("drop other");
  EXPECT_THAT(talk.say("switch other")["error"].get<std::string>(), HasSubstr("there are: fork-1, main"));
}

TEST(Session, KeepsABoundedNumberOfMemories) {
  Talk talk;
  for (std::size_t i = 1; i < Session::kMostMemories; ++i) EXPECT_FALSE(talk.say("fork").contains("error"));
  EXPECT_THAT(talk.say("fork")["error"].get<std::string>(), HasSubstr("`drop NAME`"));
  talk.say("drop fork-7");
  EXPECT_EQ(talk.say("fork")["fork"], "fork-7");
}

TEST(Session, SavesLoadsAndResets) {
  Talk talk;
  talk.say("write 5 3");
  EXPECT_EQ(talk.say("save today"), json({{"save", "today"}, {"tokens", 1}, {"written", 1}}));
  talk.say("reset");
  EXPECT_EQ(talk.say("ask 5")["value"], 5);
  EXPECT_EQ(talk.say("load nothing")["kind"], "missing-input");
  EXPECT_EQ(talk.say("load today")["written"], 1);
  EXPECT_EQ(talk.say("ask 5")["value"], 3);
}

TEST(Session, LeavesEverythingAsItWasWhenARequestFails) {
  Talk talk;
  talk.say("write 5 3");
  const Buffer<std::byte> before = talk.session.memory().encode();
  for (const char* line : {"write 8 0", "write 0 8", "ask 8", "load nothing", "switch x", "drop x"})
    EXPECT_TRUE(talk.say(line).contains("error")) << line;
  EXPECT_TRUE(std::ranges::equal(talk.session.memory().encode(), before));
}

TEST(Session, StopsAWaitWhenItIsTold) {
  Talk talk;
  const auto reply = talk.session.answer({.verb = Verb::kWait, .rows = 1'000'000}, [](std::uint64_t) { return false; });
  ASSERT_TRUE(reply);
  EXPECT_EQ(json::parse(json_line(*reply))["wait"], 1024);
}

}  // namespace
}  // namespace schemamem
