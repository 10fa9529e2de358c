#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/parse.h"
#include "base/suggest.h"

namespace schemamem {
namespace {

using testing::HasSubstr;

TEST(EditDistance, CountsInsertionsDeletionsReplacementsAndSwapsAndIgnoresCase) {
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("retention", "retention"), 0U);
  EXPECT_EQ(edit_distance("retenton", "retention"), 1U);
  EXPECT_EQ(edit_distance("retetnion", "retention"), 1U);
  EXPECT_EQ(edit_distance("a3v3", "A3V3"), 0U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Closest, OffersANearWordAndKeepsQuietAboutFarOnes) {
  const std::vector<std::string> known{"retention", "overwrite", "--delay"};
  EXPECT_EQ(closest("retenton", known), "retention");
  EXPECT_EQ(closest("--dely", known), "--delay");
  EXPECT_EQ(closest("banana", known), std::nullopt);
  EXPECT_EQ(closest("NOITNETER", known), std::nullopt) << "the letters alone do not make the word";
  EXPECT_EQ(closest(std::string(100'000, 'r'), known), std::nullopt);
  EXPECT_EQ(did_you_mean("overwite", known), " Did you mean \"overwrite\"?");
  EXPECT_EQ(did_you_mean("banana", known), "");
}

TEST(ParseInteger, TakesExactlyTheDecimalNumbersOfItsRange) {
  EXPECT_EQ(parse_integer("0", "n", 0, 9).value(), 0);
  EXPECT_EQ(parse_integer("9", "n", 0, 9).value(), 9);
  EXPECT_EQ(parse_integer("-9", "n", -9, 9).value(), -9);
  for (const char* text : {"", "-", "+1", " 1", "1 ", "1.0", "1e3", "0x1", "ten", "--1"}) {
    const auto result = parse_integer(text, "--delay", 0, 9);
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().kind(), ErrorKind::kUsage);
    EXPECT_THAT(result.error().message(), HasSubstr("--delay must be a whole number from 0 to 9, found "));
  }
}

TEST(ParseInteger, SaysOnWhichSideANumberIsOutOfRange) {
  const auto message = [](const char* text) { return parse_integer(text, "n", 0, 9).error().message(); };
  EXPECT_EQ(message("-1"), "n must be at least 0, found \"-1\".");
  EXPECT_EQ(message("10"), "n must be at most 9, found \"10\".");
  EXPECT_EQ(message("99999999999999999999"), "n must be at most 9, found \"99999999999999999999\".");
  EXPECT_EQ(message("-99999999999999999999"), "n must be at least 0, found \"-99999999999999999999\".");
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(parse_integer("9223372036854775807", "n", 0, kMost).value(), kMost);
}

}  // namespace
}  // namespace schemamem
