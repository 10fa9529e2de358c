#include "explorer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "models/registry.h"

// The explorer's half of the C interface, compiled for this machine: what holds here holds in the module, whose bits
// tests/extras/explorer_engine_test.py compares.
namespace schemamem {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Bytes = std::vector<char>;
using Json = nlohmann::json;

struct Free {
  void operator()(sm_model* one) const { sm_model_free(one); }
  void operator()(sm_memory* one) const { sm_memory_free(one); }
};
template <class T>
using Handle = std::unique_ptr<T, Free>;

Bytes published(const std::string& model) {
  for (const auto& entry : std::filesystem::directory_iterator(SCHEMAMEM_SOURCE_DIR "/results/steady")) {
    if (!entry.path().filename().string().starts_with(model + "-A3V3-steady-s42-")) continue;
    std::ifstream file(entry.path() / "model.safetensors", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  return {};
}

Handle<sm_model> explored(const Bytes& bytes) {
  sm_model* model = nullptr;
  EXPECT_EQ(sm_explore_model(bytes.data(), bytes.size(), &model), SM_OK) << sm_last_error();
  return Handle<sm_model>(model);
}

Handle<sm_memory> memory_of(const sm_model* model) {
  sm_memory* memory = nullptr;
  EXPECT_EQ(sm_explore_memory(model, &memory), SM_OK) << sm_last_error();
  return Handle<sm_memory>(memory);
}

Json described(const sm_model* model) {
  const char* json = nullptr;
  EXPECT_EQ(sm_describe(model, &json), SM_OK) << sm_last_error();
  return Json::parse(json);
}

class EveryExplored : public testing::TestWithParam<std::string> {};

TEST_P(EveryExplored, IsDescribedAndSeenInside) {
  const auto model = explored(published(GetParam()));
  const Json about = described(model.get());
  EXPECT_EQ(about["kind"], GetParam());
  EXPECT_EQ(about["task"]["addresses"], 8);
  EXPECT_EQ(about["layers"].size(), 3U);
  const auto memory = memory_of(model.get());
  ASSERT_EQ(sm_inside_size(memory.get()), about["numbers"].get<std::size_t>());
  ASSERT_EQ(sm_write(memory.get(), 5, 3), SM_OK);
  ASSERT_EQ(sm_wait(memory.get(), 200), SM_OK);
  std::vector<float> numbers(sm_inside_size(memory.get()), NAN);
  ASSERT_EQ(sm_inside_get(memory.get(), numbers.data(), numbers.size()), SM_OK) << sm_last_error();
  EXPECT_THAT(numbers, testing::Each(testing::Not(testing::IsNan())));
  EXPECT_EQ(sm_inside_get(memory.get(), numbers.data(), numbers.size() - 1), SM_USAGE);
  for (const Json& layer : about["layers"]) {
    const Json& part = layer["parts"][0];
    const std::size_t at = part["at"], size = part["rows"].get<std::size_t>() * part["columns"].get<std::size_t>();
    EXPECT_THAT(std::vector<float>(numbers.begin() + at, numbers.begin() + at + size),
                testing::Contains(testing::Ne(0)));
  }
}

TEST_P(EveryExplored, AnswersForAllAddressesWithoutMovingOn) {
  const auto model = explored(published(GetParam()));
  const auto memory = memory_of(model.get());
  ASSERT_EQ(sm_write(memory.get(), 5, 3), SM_OK);
  ASSERT_EQ(sm_wait(memory.get(), 100), SM_OK);
  std::vector<std::int32_t> values(8);
  std::vector<float> sure(8 * 3), bits(3);
  ASSERT_EQ(sm_ask_all(memory.get(), values.data(), sure.data()), SM_OK);
  EXPECT_EQ(sm_tokens(memory.get()), 101);
  EXPECT_THAT(values, testing::ElementsAre(0, 1, 2, 3, 4, 3, 6, 7));
  EXPECT_THAT(sure, testing::Each(testing::AllOf(testing::Ge(0.5F), testing::Le(1.0F))));
  int value = 0;
  ASSERT_EQ(sm_ask(memory.get(), 0, &value, nullptr), SM_OK);
  ASSERT_EQ(sm_sure(memory.get(), bits.data()), SM_OK);
  EXPECT_EQ(bits, std::vector<float>(sure.begin(), sure.begin() + 3)) << "address 0 is the first that a fork is asked";
}

TEST_P(EveryExplored, GivesASentenceToEveryDamagedFile) {
  const Bytes whole = published(GetParam());
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    Bytes damaged = whole;
    if (i % 4 == 0) damaged.resize(random() % whole.size());
    for (int k = 0; k < 3; ++k) {
      if (!damaged.empty())
        damaged[random() % std::min<std::size_t>(damaged.size(), 4096)] = static_cast<char>(random());
    }
    sm_model* model = nullptr;
    const int code = sm_explore_model(damaged.data(), damaged.size(), &model);
    const Handle<sm_model> kept(model);
    ASSERT_THAT(code, AnyOf(SM_OK, SM_BAD_DATA));
    if (code == SM_OK) continue;
    EXPECT_EQ(model, nullptr);
    EXPECT_THAT(sm_last_error(), HasSubstr("the model"));
  }
}

INSTANTIATE_TEST_SUITE_P(Models, EveryExplored, testing::ValuesIn(model_names()),
                         [](const auto& one) { return one.param; });

TEST(Explored, RefusesAModelWhoseBuffersWouldNotFit) {
  Bytes bytes = published("schemamem");
  const std::string text(bytes.begin(), bytes.end());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    // Older files list no sizes: give it some, in place of as many blanks of its header.
    const std::size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos);
    changed.replace(at, from.size(), to);
    std::uint64_t length = 0;
    std::memcpy(&length, changed.data(), sizeof(length));
    length += to.size() - from.size();
    std::memcpy(changed.data(), &length, sizeof(length));
    sm_model* model = nullptr;
    EXPECT_EQ(sm_explore_model(changed.data(), changed.size(), &model), SM_BAD_DATA);
    return std::string(sm_last_error());
  };
  const std::string sizes =
      R"("__metadata__":{"format":"schemamem model","version":"1","size.inputs":"7","size.outputs":"3","size.layers":"3",)"
      R"("size.width":"32","size.slots":"176","size.heads":"4","size.head_dim":"8","size.hidden":"16","size.commit_every":")";
  EXPECT_THAT(with("\"__metadata__\":{", sizes + "65536\","), HasSubstr("what is explored has at most"));
}

TEST(Explored, ScriptsAreEpisodesOfTheTaskWithOneWait) {
  const auto model = explored(published("schemamem"));
  const char* text = nullptr;
  ASSERT_EQ(sm_scenarios(model.get(), &text), SM_OK);
  std::size_t papers = 0;
  for (const Json& one : Json::parse(text)) {
    papers += one["paper"].get<bool>() ? 1 : 0;
    ASSERT_EQ(sm_scenario(model.get(), one["name"].get<std::string>().c_str(), 3, 96, &text), SM_OK) << sm_last_error();
    const std::string script = text;
    const Json steps = Json::parse(script)["steps"];
    std::size_t waits = 0;
    for (const Json& step : steps) waits += step["do"] == "wait" ? 1 : 0;
    EXPECT_EQ(waits, one["delay"].get<bool>() ? 1U : 0U) << one;
    EXPECT_EQ(steps.back()["do"], "ask");
    ASSERT_EQ(sm_scenario(model.get(), one["name"].get<std::string>().c_str(), 3, 96, &text), SM_OK);
    EXPECT_EQ(text, script) << "the same seed, the same episode";
  }
  EXPECT_EQ(papers, 4U);
  EXPECT_EQ(sm_scenario(model.get(), "retenton", 0, 0, &text), SM_USAGE);
  EXPECT_THAT(sm_last_error(), HasSubstr("retention"));
}

TEST(Explored, AWrongArgumentIsASentenceToo) {
  const auto model = explored(published("schemamem"));
  const auto memory = memory_of(model.get());
  const char* text = nullptr;
  EXPECT_EQ(sm_describe(nullptr, &text), SM_USAGE);
  EXPECT_EQ(sm_scenario(model.get(), nullptr, 0, 0, &text), SM_USAGE);
  EXPECT_EQ(sm_explore_model(nullptr, 0, nullptr), SM_USAGE);
  EXPECT_EQ(sm_ask_all(nullptr, nullptr, nullptr), SM_USAGE);
  EXPECT_EQ(sm_zero(memory.get(), 3), SM_USAGE);
  EXPECT_EQ(sm_zero(memory.get(), -2), SM_USAGE);
  EXPECT_EQ(sm_noise(memory.get(), 0.1, 1), SM_USAGE) << "nothing is committed";
  EXPECT_EQ(sm_freeze(nullptr, 1), SM_USAGE);
  EXPECT_EQ(sm_set_floor(memory.get(), 1), SM_USAGE);
  EXPECT_THAT(std::string(sm_last_error()), Not(IsEmpty()));
}

}  // namespace
}  // namespace schemamem
