#include "record/tfevents.h"

#include <array>
#include <bit>

namespace schemamem {
namespace {

constexpr std::size_t kLengthBytes = 8, kCrcBytes = 4;
constexpr std::uint64_t kLargestRecord = 1 << 24;

constexpr std::array<std::uint32_t, 256> kCrcTable = [] {
  constexpr std::uint32_t kReversedPolynomial = 0x82f63b78;
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kReversedPolynomial : 0);
    table[i] = crc;
  }
  return table;
}();

template <class Number>
std::string little_endian(Number number) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof(Number); ++i) bytes += static_cast<char>(number >> (8 * i) & 0xff);
  return bytes;
}

std::uint64_t read_little_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

/// Protobuf: a number in groups of seven bits, the lowest first.
std::string varint(std::uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>((number & 0x7f) | 0x80);
  return bytes + static_cast<char>(number);
}

enum WireType : std::uint64_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

std::string key(std::uint64_t field, WireType type) { return varint(field << 3 | type); }
std::string bytes_field(std::uint64_t field, std::string_view content) {
  return key(field, kBytes) + varint(content.size()) + std::string(content);
}
std::string double_field(std::uint64_t field, double value) {
  return key(field, kFixed64) + little_endian(std::bit_cast<std::uint64_t>(value));
}
std::string float_field(std::uint64_t field, float value) {
  return key(field, kFixed32) + little_endian(std::bit_cast<std::uint32_t>(value));
}

/// Field numbers of tensorflow.Event, .Summary and .Summary.Value.
namespace event_field {
constexpr std::uint64_t kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5;
}
namespace summary_field {
constexpr std::uint64_t kValue = 1;
}
namespace value_field {
constexpr std::uint64_t kTag = 1, kSimpleValue = 2;
}

std::string record(const std::string& data) {
  const std::string length = little_endian(static_cast<std::uint64_t>(data.size()));
  return length + little_endian(masked_crc32c(length)) + data + little_endian(masked_crc32c(data));
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char c : bytes) crc = (crc >> 8) ^ kCrcTable[(crc ^ static_cast<unsigned char>(c)) & 0xff];
  return ~crc;
}

std::uint32_t masked_crc32c(std::string_view bytes) { return std::rotr(crc32c(bytes), 15) + 0xa282ead8; }

std::string encode_event(const ScalarEvent& event) {
  std::string summary;
  for (const ChartValue& scalar : event.scalars) {
    summary += bytes_field(summary_field::kValue, bytes_field(value_field::kTag, scalar.tag) +
                                                      float_field(value_field::kSimpleValue, scalar.value));
  }
  return record(double_field(event_field::kWallTime, event.wall_time) + key(event_field::kStep, kVarint) +
                varint(static_cast<std::uint64_t>(event.step)) + bytes_field(event_field::kSummary, summary));
}

std::string encode_event_file_version(double wall_time) {
  return record(double_field(event_field::kWallTime, wall_time) +
                bytes_field(event_field::kFileVersion, "brain.Event:2"));
}

bool same_but_for_time(std::string_view record, std::string_view other) {
  const std::size_t time = kLengthBytes + kCrcBytes + 1, rest = time + sizeof(double);  // behind the key of field 1
  const auto message = [&](std::string_view one) { return one.substr(rest, one.size() - rest - kCrcBytes); };
  return record.size() == other.size() && record.substr(0, time) == other.substr(0, time) &&
         message(record) == message(other);
}

std::size_t event_record_size(std::string_view bytes) {
  const std::size_t head = kLengthBytes + kCrcBytes;
  if (bytes.size() < head) return 0;
  const std::string_view length = bytes.substr(0, kLengthBytes);
  if (read_little_endian(bytes.substr(kLengthBytes, kCrcBytes)) != masked_crc32c(length)) return 0;
  const std::uint64_t size = read_little_endian(length);
  if (size > kLargestRecord || bytes.size() < head + size + kCrcBytes) return 0;
  const std::string_view data = bytes.substr(head, size);
  if (read_little_endian(bytes.substr(head + size, kCrcBytes)) != masked_crc32c(data)) return 0;
  return head + size + kCrcBytes;
}

}  // namespace schemamem
