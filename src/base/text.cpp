#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace schemamem {
namespace {

constexpr std::size_t kLongestQuote = 200;

/// A character, of one UTF-8 sequence, that shows nothing itself and changes how others are shown.
bool is_control(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7f;
  if (character.size() == 2) return byte(0) == 0xc2 && byte(1) < 0xa0;  // U+0080 to U+009F
  if (character.size() != 3 || byte(0) != 0xe2) return false;
  const bool marks = byte(1) == 0x80 && (byte(2) == 0x8e || byte(2) == 0x8f || (byte(2) >= 0xa8 && byte(2) <= 0xae));
  return marks || (byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9);  // U+200E, 200F, 2028 to 202E, 2066 to 2069
}

void add_as_numbers(std::string& out, std::string_view bytes) {
  for (const char c : bytes) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
}

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

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto lead = static_cast<unsigned char>(text.front());
    std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    const std::string_view character = text.substr(0, length);
    const bool whole = character.size() == length && valid_utf8_prefix(character) == length;
    if (!whole) length = 1;
    if (!whole || is_control(character)) {
      add_as_numbers(out, text.substr(0, length));
    } else {
      out += character;
    }
    text.remove_prefix(length);
  }
  return out;
}

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

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string wrapped(std::string_view text, const Wrapping& how) {
  std::string page;
  std::istringstream words{std::string(text)};
  std::size_t column = how.at;
  bool first = true;
  for (std::string word; words >> word; first = false) {
    if (!first && column + 1 + columns(word) + columns(how.broken) > how.width) {
      page += std::string(how.broken) + "\n" + std::string(how.indent, ' ');
      column = how.indent;
    } else if (!first) {
      page += ' ';
      ++column;
    }
    page += word;
    column += columns(word);
  }
  return page + "\n";
}

}  // namespace schemamem
