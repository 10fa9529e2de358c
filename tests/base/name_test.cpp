#include "base/name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace schemamem {
namespace {

using testing::HasSubstr;

TEST(Name, IsOfOneAlphabetAndBeginsWithALetterOrADigit) {
  for (const char* name : {"fast", "A3V3", "gated-delta-net", "updated-2", "v0.1_b", "7", "address-value"})
    EXPECT_TRUE(is_name(name)) << name;
  for (const char* text : {"", ".", "..", "-x", "_x", ".hidden", "a b", "a/b", "../../../x", "a\n", "a\"b", "a`id`",
                           "a\\b", "<b>", "a|b", "\x1b[2J", "\xc3\xa9t\xc3\xa9", "a=b", "a,b"})
    EXPECT_FALSE(is_name(text)) << text;
  EXPECT_FALSE(is_name(std::string_view("a\0b", 3)));
}

TEST(Name, HasABoundedLength) {
  EXPECT_TRUE(is_name(std::string(kLongestName, 'x')));
  EXPECT_FALSE(is_name(std::string(kLongestName + 1, 'x')));
}

TEST(Name, WhatIsNoneIsBadDataToldWithoutItsControlCharacters) {
  ASSERT_TRUE(check_name("fast", "recipe"));
  const Status refused = check_name("fast\nsystem(\"id\")\x1b", "run.json: recipe");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kBadData);
  EXPECT_THAT(refused.error().message(), HasSubstr("run.json: recipe must be a name"));
  EXPECT_THAT(refused.error().message(), HasSubstr("found \"fast\\x0asystem(\"id\")\\x1b\""));
}

}  // namespace
}  // namespace schemamem
