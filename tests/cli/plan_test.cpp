#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/cli.h"

namespace schemamem {
namespace {

using nlohmann::json;
using test::call;
using test::Reply;
using testing::HasSubstr;

const std::string kSmall = "plan --settings A2V2 --set batch.episodes=16 --threads 1 ";

TEST(Plan, TellsWhatARunTakesOnEachNumberOfNodes) {
  const Reply reply = call(kSmall + "--nodes 1,8,16");
  ASSERT_EQ(reply.code, 0) << reply.err;
  EXPECT_THAT(reply.out, HasSubstr("batch 16 in 8 shards"));
  EXPECT_THAT(reply.out, HasSubstr("schemamem A2V2"));
  EXPECT_THAT(reply.out, HasSubstr("Of 16 nodes 8 have no shard; --set batch.shards=16 gives every one."));
  EXPECT_THAT(reply.out, testing::Not(HasSubstr("one after the other"))) << "there is one run";
}

TEST(Plan, AFasterNetworkExchangesFaster) {
  const auto planned = [](const std::string& more) {
    const Reply reply = call("--json " + kSmall + "--nodes 1,8 --seeds 42-44 " + more);
    EXPECT_EQ(reply.code, 0) << reply.err;
    return json::parse(reply.out);
  };
  const json slow = planned("--latency 1000 --bandwidth 0.01"), fast = planned("--latency 0 --bandwidth 1000");
  const auto exchange = [](const json& plan) { return plan["runs"][0]["on"][1]["exchange_seconds"].get<double>(); };
  EXPECT_GT(exchange(slow), 10 * exchange(fast));
  EXPECT_EQ(slow["runs"][0]["on"][0]["exchange_seconds"], 0);
  EXPECT_EQ(slow["runs"][0]["seeds"], 3);
  // Three runs one after the other on one node, and three nodes that train one each.
  EXPECT_DOUBLE_EQ(slow["all"][0]["in_turn_seconds"], 3 * slow["runs"][0]["on"][0]["seconds"].get<double>());
  EXPECT_DOUBLE_EQ(slow["all"][1]["side_by_side_seconds"], slow["runs"][0]["on"][0]["seconds"].get<double>());
}

}  // namespace
}  // namespace schemamem
