#include "base/text.h"

#include <gtest/gtest.h>

#include <string>

namespace schemamem {
namespace {

TEST(Text, AMessageShowsUnusualBytesAsNumbersAndCutsALongTail) {
  EXPECT_EQ(quote("w.0 \x1b[31m\xc3\xbc"), R"("w.0 \x1b[31m\xc3\xbc")");
  EXPECT_EQ(printable(std::string(500, 'a')), std::string(200, 'a') + "... (500 bytes)");
}

TEST(Text, Utf8IsAcceptedUpToTheFirstWrongByte) {
  const auto valid = [](std::string_view text) { return valid_utf8_prefix(text) == text.size(); };
  EXPECT_TRUE(valid("plain, ü, →, 𝄞, \xf4\x8f\xbf\xbf, \xed\x9f\xbf"));
  EXPECT_TRUE(valid(""));
  EXPECT_EQ(valid_utf8_prefix("ok\x80"), 2U);  // a tail without a lead
  EXPECT_EQ(valid_utf8_prefix("\xc3"), 0U);    // cut off
  EXPECT_FALSE(valid("\xe2\x86"));             // cut off
  EXPECT_FALSE(valid("\xf0\x9d\x84"));         // cut off
  EXPECT_FALSE(valid("\xf0\x9d\x84x"));        // no tail
  EXPECT_FALSE(valid("\xc0\xaf"));             // overlong
  EXPECT_FALSE(valid("\xe0\x80\xaf"));         // overlong
  EXPECT_FALSE(valid("\xf0\x80\x80\xaf"));     // overlong
  EXPECT_FALSE(valid("\xed\xa0\x80"));         // surrogate
  EXPECT_FALSE(valid("\xf4\x90\x80\x80"));     // past U+10FFFF
  EXPECT_FALSE(valid("\xff"));
}

}  // namespace
}  // namespace schemamem
