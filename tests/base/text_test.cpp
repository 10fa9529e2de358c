#include "base/text.h"

#include <gtest/gtest.h>

#include <string>

namespace schemamem {
namespace {

TEST(Text, AMessageShowsUnusualBytesAsNumbersAndCutsALongTail) {
  EXPECT_EQ(quote("w.0 \x1b[31m\xc3\xbc"), R"("w.0 \x1b[31m\xc3\xbc")");
  EXPECT_EQ(printable(std::string(500, 'a')), std::string(200, 'a') + "... (500 bytes)");
}

TEST(Text, OnATerminalUtf8IsShownAndWhatWouldSteerItIsNot) {
  EXPECT_EQ(escaped("99 % \xc2\xb1 1, \xe2\x96\x88 \xf0\x9f\x99\x82"),
            "99 % \xc2\xb1 1, \xe2\x96\x88 \xf0\x9f\x99\x82");
  EXPECT_EQ(escaped("\x1b[2J\x07\r\n\t\x7f"), "\\x1b[2J\\x07\\x0d\\x0a\\x09\\x7f");
  EXPECT_EQ(escaped("\xc2\x9b"
                    "31m"),
            "\\xc2\\x9b31m")
      << "an introducer of control sequences in one character";
  EXPECT_EQ(escaped("\xe2\x80\xae"
                    "abc\xe2\x81\xa6"),
            "\\xe2\\x80\\xaeabc\\xe2\\x81\\xa6")
      << "marks of direction";
  EXPECT_EQ(escaped("\xff\xc3(\xe2\x82"), "\\xff\\xc3(\\xe2\\x82") << "no UTF-8";
  EXPECT_EQ(escaped(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(escaped(std::string(1000, 'x')).size(), 1000U) << "uncut";
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

TEST(Text, EveryMarkOfDirectionIsANumberAndItsNeighboursAreNot) {
  for (const char* mark :
       {"\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xa8", "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa9"})
    EXPECT_EQ(escaped(mark).substr(0, 4), "\\xe2") << escaped(mark);
  for (const char* sign :
       {"\xe2\x80\x8d", "\xe2\x80\xa7", "\xe2\x80\xaf", "\xe2\x81\xa5", "\xe2\x81\xaa", "\xe3\x80\x8e"})
    EXPECT_EQ(escaped(sign), sign);
}

}  // namespace
}  // namespace schemamem
