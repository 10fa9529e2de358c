#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace schemamem {

/// CRC-32C (Castagnoli), as in RFC 3720.
std::uint32_t crc32c(std::string_view bytes);
/// The form in which TFRecord stores it: rotated right by 15 bits, plus a constant.
std::uint32_t masked_crc32c(std::string_view bytes);

/// A value of a TensorBoard chart.
struct ChartValue {
  std::string tag;  // "accuracy/retention/retained"
  float value = 0;

  friend bool operator==(const ChartValue&, const ChartValue&) = default;
};

/// One record of an event file: several scalars of one step.
struct ScalarEvent {
  double wall_time = 0;  // seconds since 1970
  std::int64_t step = 0;
  std::vector<ChartValue> scalars;
};

/// The bytes of a whole record: length, its masked CRC, a tensorflow.Event in protobuf's wire format, its masked CRC
/// (docs/formats.md, "TensorBoard"). Their number does not depend on wall_time.
std::string encode_event(const ScalarEvent& event);
/// The record that every event file begins with: file_version "brain.Event:2".
std::string encode_event_file_version(double wall_time);

/// The same record but for its wall time. Both must be whole.
bool same_but_for_time(std::string_view record, std::string_view other);

/// The length of the record that `bytes` begins with, 0 unless it is there completely and both of its CRCs are right.
std::size_t event_record_size(std::string_view bytes);

}  // namespace schemamem
