#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace schemamem {

/// A database AaVv: N = 2^a addresses, each holding one of K = 2^v values.
struct Setting {
  static constexpr int kFewestBits = 2;  // N divisible by 4, at least 3 values
  static constexpr int kMostBits = 16;

  int address_bits = 3;
  int value_bits = 3;

  std::size_t addresses() const { return std::size_t{1} << address_bits; }
  std::size_t values() const { return std::size_t{1} << value_bits; }
  /// Numbers in one input row: address bits, value bits, validity bit.
  std::size_t input_width() const { return static_cast<std::size_t>(address_bits + value_bits + 1); }
  std::size_t output_width() const { return static_cast<std::size_t>(value_bits); }
  /// b(j) = j mod K: what an address holds until it is written. Never shown as input.
  std::size_t default_value(std::size_t address) const { return address & (values() - 1); }
  /// "A3V3"
  std::string name() const;

  friend bool operator==(const Setting&, const Setting&) = default;
};

Result<Setting> parse_setting(std::string_view name);

/// True when both counts of bits are in the supported range.
bool is_supported(const Setting& setting);

/// The nine settings of the paper, a and v in {3, 4, 5}.
const std::vector<Setting>& paper_settings();

}  // namespace schemamem
