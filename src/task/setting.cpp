#include "task/setting.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/suggest.h"
#include "base/text.h"

namespace schemamem {
namespace {

constexpr int kFewest = Setting::kFewestBits;
constexpr int kMost = Setting::kMostBits;

bool in_range(int bits) { return bits >= kFewest && bits <= kMost; }

/// Reads "A12V3" without judging the numbers; nothing when the text has another form.
std::optional<Setting> read(std::string_view text) {
  const auto number_after = [&text](char letter) -> std::optional<int> {
    if (text.size() < 2 || text.front() != letter || text[1] == '0' || text[1] == '-') return std::nullopt;
    int bits = 0;
    const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), bits);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return bits;
  };
  const auto address_bits = number_after('A');
  if (!address_bits) return std::nullopt;
  const auto value_bits = number_after('V');
  if (!value_bits || !text.empty()) return std::nullopt;
  return Setting{*address_bits, *value_bits};
}

/// Every name, those of the paper first, so that they win as suggestions.
std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const Setting& setting : paper_settings()) names.push_back(setting.name());
  for (int a = kFewest; a <= kMost; ++a) {
    for (int v = kFewest; v <= kMost; ++v) names.push_back(Setting{a, v}.name());
  }
  return names;
}

}  // namespace

std::string Setting::name() const { return fmt::format("A{}V{}", address_bits, value_bits); }

bool is_supported(const Setting& setting) { return in_range(setting.address_bits) && in_range(setting.value_bits); }

Result<Setting> parse_setting(std::string_view name) {
  const auto setting = read(name);
  if (!setting)
    return Error(ErrorKind::kUsage, fmt::format("Unknown setting {}: expected A<address bits>V<value bits>, each from "
                                                "{} to {}, such as A3V3.{}",
                                                quote(name), kFewest, kMost, did_you_mean(name, all_names())));
  if (!is_supported(*setting)) {
    const bool address = !in_range(setting->address_bits);
    const Setting nearest{std::clamp(setting->address_bits, kFewest, kMost),
                          std::clamp(setting->value_bits, kFewest, kMost)};
    return Error(ErrorKind::kUsage,
                 fmt::format("Setting {} is not supported: {} bits go from {} to {}, found {}. The nearest is {}.",
                             quote(name), address ? "address" : "value", kFewest, kMost,
                             address ? setting->address_bits : setting->value_bits, nearest.name()));
  }
  return *setting;
}

const std::vector<Setting>& paper_settings() {
  static const std::vector<Setting> settings{{3, 3}, {3, 4}, {3, 5}, {4, 3}, {4, 4}, {4, 5}, {5, 3}, {5, 4}, {5, 5}};
  return settings;
}

}  // namespace schemamem
