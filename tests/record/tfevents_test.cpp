#include "record/tfevents.h"

#include <gtest/gtest.h>

#include <string>

namespace schemamem {
namespace {

TEST(Crc32c, GivesThePublishedAnswers) {
  // RFC 3720, B.4, and the check value of the catalogue of CRCs.
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43U);
  std::string rising, falling;
  for (int i = 0; i < 32; ++i) {
    rising += static_cast<char>(i);
    falling += static_cast<char>(31 - i);
  }
  EXPECT_EQ(crc32c(rising), 0x46dd794eU);
  EXPECT_EQ(crc32c(falling), 0x113fdb5cU);
  EXPECT_EQ(crc32c(""), 0U);
}

TEST(EventFile, BeginsWithItsVersion) {
  // 24 bytes: wall time (1: fixed64), file version (3: 13 bytes of text), framed by lengths and CRCs.
  const std::string record = encode_event_file_version(0);
  ASSERT_EQ(record.size(), 8 + 4 + 24 + 4U);
  EXPECT_EQ(record.substr(0, 8), std::string("\x18\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(record.substr(8, 4), "\xa3\x7f\x4b\x22");  // as every event file of TensorFlow has it
  EXPECT_EQ(record.substr(12, 9), std::string("\x09\0\0\0\0\0\0\0\0", 9));
  EXPECT_EQ(record.substr(21, 15),
            "\x1a\x0d"
            "brain.Event:2");
}

TEST(EventFile, AnEventIsProtobufByHand) {
  const std::string record = encode_event({.wall_time = 1.0, .step = 300, .scalars = {{"loss", 0.5F}}});
  const std::string expected(
      "\x09\0\0\0\0\0\0\xf0\x3f"  // 1: wall time, a double
      "\x10\xac\x02"              // 2: step, a varint
      "\x2a\x0d"                  // 5: the summary, 13 bytes
      "\x0a\x0b"                  // 1: a value, 11 bytes
      "\x0a\x04loss"              // 1: tag
      "\x15\0\0\0\x3f",           // 2: simple value, a float
      27);
  EXPECT_EQ(record.substr(12, record.size() - 16), expected);
}

TEST(EventFile, ARecordsLengthDoesNotDependOnTheTime) {
  const ScalarEvent early{.wall_time = 0, .step = 25, .scalars = {{"a", 1}, {"b", 2}}};
  ScalarEvent late = early;
  late.wall_time = 1.7e9 + 0.123;
  EXPECT_EQ(encode_event(early).size(), encode_event(late).size());
  EXPECT_TRUE(same_but_for_time(encode_event(early), encode_event(late)));
  late.scalars.back().value = 3;
  EXPECT_FALSE(same_but_for_time(encode_event(early), encode_event(late)));
}

TEST(EventFile, OnlyAWholeRecordIsRecognised) {
  const std::string record = encode_event({.wall_time = 1.0, .step = 300, .scalars = {{"loss", 0.5F}}});
  EXPECT_EQ(event_record_size(record + "more"), record.size());
  for (std::size_t length = 0; length < record.size(); ++length) {
    EXPECT_EQ(event_record_size(std::string_view(record).substr(0, length)), 0U) << length;
    std::string damaged = record;
    damaged[length] = static_cast<char>(damaged[length] ^ 0x10);
    EXPECT_EQ(event_record_size(damaged), 0U) << length;
  }
}

}  // namespace
}  // namespace schemamem
