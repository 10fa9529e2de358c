#include "base/numpy_random.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "support/test_data.h"

namespace schemamem {
namespace {

using nlohmann::json;
using Numbers = std::vector<std::uint64_t>;

Numbers integers(NumpyRandom& random, std::uint64_t n, std::size_t count) {
  Numbers values(count);
  random.integers<std::uint64_t>(n, values);
  return values;
}

Numbers permutation(NumpyRandom& random, std::size_t n) {
  Numbers values(n);
  random.permutation<std::uint64_t>(values);
  return values;
}

TEST(NumpyRandom, RepeatsThePrimitivesPublishedWithTheEpisodes) {
  const json primitives = test::read_json_data("episodes/numpy_episodes.json").at("primitives");
  const auto fresh = [] { return NumpyRandom(20261001); };

  NumpyRandom raw = fresh();
  for (const json& expected : primitives.at("default_rng(20261001)").at("random_raw x4"))
    EXPECT_EQ(std::to_string(raw.next_uint64()), expected.get<std::string>());

  NumpyRandom bounded = fresh();
  EXPECT_EQ(integers(bounded, 8, 12), primitives.at("integers(8, size=12)").get<Numbers>());

  NumpyRandom repeated = fresh();
  for (const json& expected : primitives.at("permutation(8) x3"))
    EXPECT_EQ(permutation(repeated, 8), expected.get<Numbers>());

  NumpyRandom wide = fresh();
  EXPECT_EQ(permutation(wide, 32), primitives.at("permutation(32)").get<Numbers>());

  NumpyRandom mixed = fresh();
  const json& expected = primitives.at("permutation(8) then integers(4,size=6) then permutation(8)");
  EXPECT_EQ(permutation(mixed, 8), expected.at(0).get<Numbers>());
  EXPECT_EQ(integers(mixed, 4, 6), expected.at(1).get<Numbers>());
  EXPECT_EQ(permutation(mixed, 8), expected.at(2).get<Numbers>());
}

TEST(NumpyRandom, AgreesWithNumPyForSeedsAndRangesOfEveryKind) {
  const json answers = test::read_json_data("episodes/numpy_random.json");
  for (const json& entry : answers.at("cases")) {
    NumpyRandom random(entry.at("seed").get<std::uint64_t>());
    for (const json& call : entry.at("calls")) {
      const auto expected = call.at("out").get<Numbers>();
      if (call.contains("integers"))
        EXPECT_EQ(integers(random, call.at("integers").get<std::uint64_t>(), expected.size()), expected) << call;
      else if (call.contains("permutation"))
        EXPECT_EQ(permutation(random, expected.size()), expected) << call;
      else
        EXPECT_EQ(random.next_uint64(), expected.at(0)) << call;
    }
  }
}

TEST(NumpyRandom, SkippingEqualsDrawingAndThrowingAway) {
  for (const std::uint64_t before : {0U, 1U, 2U, 5U}) {
    for (const std::uint64_t skipped : {0U, 1U, 2U, 3U, 96U, 1537U}) {
      NumpyRandom drawn(7), jumped(7);
      for (std::uint64_t i = 0; i < before; ++i) EXPECT_EQ(drawn.next_uint32(), jumped.next_uint32());
      for (std::uint64_t i = 0; i < skipped; ++i) static_cast<void>(drawn.next_uint32());
      jumped.skip_uint32(skipped);
      for (int i = 0; i < 5; ++i) EXPECT_EQ(drawn.next_uint32(), jumped.next_uint32());
      EXPECT_EQ(drawn.next_uint64(), jumped.next_uint64());
    }
  }
}

TEST(NumpyRandom, RefusesAnEmptyRange) {
  NumpyRandom random(1);
  EXPECT_THROW(random.integer(0), ContractViolation);
}

}  // namespace
}  // namespace schemamem
