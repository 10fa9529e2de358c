#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "support/cli.h"

namespace schemamem {
namespace {

using nlohmann::json;
using test::call;
using test::Reply;
using testing::HasSubstr;

std::string golden(const std::string& name) {
  return std::string(SCHEMAMEM_TEST_DATA) + "/golden/" + name + ".safetensors";
}

TEST(Inspect, CountsThePapersParametersAndState) {
  const auto sizes = [](const std::string& model, const std::string& setting) {
    const Reply reply = call("inspect --model " + model + " --setting " + setting + " --json");
    EXPECT_EQ(reply.code, 0) << reply.err;
    const json answer = json::parse(reply.out);
    return std::pair<int, int>(answer["parameters"], answer["persistent_elements"]);
  };
  EXPECT_EQ(sizes("schemamem", "A3V3"), std::pair(54336, 16896));
  EXPECT_EQ(sizes("mamba3", "A3V3"), std::pair(55128, 16752));
  EXPECT_EQ(sizes("gdn", "A3V3"), std::pair(55260, 17280));
  // 32 more for each input bit and each output bit: an address bit is one, a value bit two.
  EXPECT_EQ(sizes("schemamem", "A4V3"), std::pair(54336 + 32, 16896));
  EXPECT_EQ(sizes("schemamem", "A3V5"), std::pair(54336 + 4 * 32, 16896));
}

TEST(Inspect, ShowsEveryTensor) {
  const Reply reply = call("inspect --model schemamem");
  EXPECT_EQ(reply.code, 0);
  EXPECT_THAT(reply.out, HasSubstr("layers.2.mlp.w_down"));
  EXPECT_THAT(reply.out, HasSubstr("[176, 32]"));
}

TEST(Inspect, TakesSizesOfOnesOwn) {
  const Reply reply = call("inspect --model schemamem --size slots=64 --size layers=2 --json");
  ASSERT_EQ(reply.code, 0) << reply.err;
  EXPECT_EQ(nlohmann::json::parse(reply.out)["persistent_elements"], 2 * 64 * 32);
  EXPECT_EQ(call("inspect --model schemamem --size slots").code, 64);
  EXPECT_EQ(call("inspect --model schemamem --size slots=0").code, 64);
  const Reply typo = call("bench step --model schemamem --size slot=64");
  EXPECT_EQ(typo.code, 64);
  EXPECT_THAT(typo.err, HasSubstr("Did you mean \"slots\"?"));
}

TEST(Inspect, NamesTheMistakeAndTheWayOut) {
  EXPECT_EQ(call("inspect").code, 64);
  EXPECT_THAT(call("inspect").err, HasSubstr("--model is missing"));
  EXPECT_THAT(call("inspect --model mamba").err, HasSubstr("Did you mean \"mamba3\"?"));
  EXPECT_EQ(call("inspect --model gdn --setting A1V3").code, 64);
  EXPECT_THAT(call("inspect --model gdn --isa avx9").err, HasSubstr("--isa must be one of"));
}

TEST(Verify, PassesAndReportsTheLargestErrors) {
  const Reply reply = call("verify --json " + golden("schemamem/recurrent_short") + " " + golden("gdn/t7"));
  EXPECT_EQ(reply.code, 0) << reply.err;
  const json answer = json::parse(reply.out);
  EXPECT_TRUE(answer["passed"]);
  ASSERT_EQ(answer["files"].size(), 2U);
  EXPECT_EQ(answer["files"][0]["model"], "schemamem");
  EXPECT_EQ(answer["files"][1]["level"], "layer");
  EXPECT_LE(answer["files"][0]["largest_error"]["gradient"], 1e-9);
  EXPECT_THAT(call("verify --scalar float " + golden("mamba3/model_t12")).out, HasSubstr("ok"));
}

TEST(Verify, ToldApartByExitCode) {
  EXPECT_EQ(call("verify").code, 64);
  EXPECT_EQ(call("verify --scalar half " + golden("gdn/t7")).code, 64);
  EXPECT_EQ(call("verify nowhere.safetensors").code, 66);
  const std::string hostile = std::string(SCHEMAMEM_TEST_DATA) + "/hostile/zip.safetensors";
  EXPECT_EQ(call("verify " + hostile).code, 65);
}

TEST(Inspect, TakesSizesWithCommasOrRepeated) {
  const std::string once = call("inspect --model gdn --size width=64,heads=4").out;
  EXPECT_EQ(once, call("inspect --model gdn --size width=64 --size heads=4").out);
  EXPECT_NE(once, call("inspect --model gdn").out);
}

TEST(Bench, ReportsSpeedBesideThePeak) {
  const Reply reply = call("bench step --model schemamem --batch 2 --tokens 100 --threads 1 --repeats 1 --json");
  EXPECT_EQ(reply.code, 0) << reply.err;
  const json answer = json::parse(reply.out);
  for (const char* key : {"gflops", "fma_peak_gflops", "fraction_of_peak", "tokens_per_second"}) {
    EXPECT_GT(answer.at(key).get<double>(), 0) << key;
  }
  EXPECT_THAT(call("bench stream --model gdn --tokens 5000").out, HasSubstr("tokens/s"));
}

TEST(Bench, ShowsWhereTheTimeOfTrainingGoes) {
  const Reply reply = call("bench train --model schemamem --setting A2V2 --threads 1 --steps 1 --json");
  EXPECT_EQ(reply.code, 0) << reply.err;
  const json answer = json::parse(reply.out);
  EXPECT_EQ(answer.at("stages").size(), 10U);
  for (const char* key : {"kernels", "folding", "data", "optimizer", "overhead"})
    EXPECT_GT(answer.at("all").at(key).get<double>(), 0) << key;
  EXPECT_GT(answer.at("snapshot_milliseconds").get<double>(), 0);
}

TEST(Bench, RefusesImpossibleRequests) {
  EXPECT_EQ(call("bench").code, 64);
  EXPECT_EQ(call("bench step --model schemamem --threads 0").code, 64);
  EXPECT_EQ(call("bench step --model schemamem --batch -1").code, 64);
  EXPECT_EQ(call("bench step --model schemamem --tokens many").code, 64);
  EXPECT_EQ(call("bench step --model schemamem --tokens 5000").code, 64);
  EXPECT_EQ(call("bench stream --model schemamem --tokens 99").code, 64);
}

}  // namespace
}  // namespace schemamem
