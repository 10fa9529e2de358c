#include "base/text.h"

#include <fmt/format.h>

namespace schemamem {
namespace {

constexpr std::size_t kLongestQuote = 200;

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kLongestQuote)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7e) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  if (text.size() > kLongestQuote) out += fmt::format("... ({} bytes)", text.size());
  return out;
}

std::string quote(std::string_view text) { return '"' + printable(text) + '"'; }

std::size_t valid_utf8_prefix(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  std::size_t i = 0;
  while (i < text.size()) {
    const unsigned lead = byte(i);
    std::size_t tail = 0;
    unsigned low = 0x80,
             high = 0xbf;  // bounds of the second byte: no overlong form, no surrogate, nothing past U+10FFFF
    if (lead <= 0x7f) {
      ++i;
      continue;
    }
    if (lead >= 0xc2 && lead <= 0xdf) tail = 1;
    if (lead >= 0xe0 && lead <= 0xef) tail = 2;
    if (lead >= 0xf0 && lead <= 0xf4) tail = 3;
    if (lead == 0xe0) low = 0xa0;
    if (lead == 0xed) high = 0x9f;
    if (lead == 0xf0) low = 0x90;
    if (lead == 0xf4) high = 0x8f;
    if (tail == 0 || byte(i + 1) < low || byte(i + 1) > high) return i;
    for (std::size_t k = 2; k <= tail; ++k) {
      if (byte(i + k) < 0x80 || byte(i + k) > 0xbf) return i;
    }
    i += tail + 1;
  }
  return i;
}

}  // namespace schemamem
