#include <array>
#include <cctype>

#include "campaigns/world.h"

namespace schemamem::campaign {
namespace {

void flip_bits(std::string& bytes, Rng& rng) {
  for (std::uint64_t i = 1 + rng.below(8); i > 0; --i)
    bytes[rng.below(bytes.size())] ^= static_cast<char>(1U << rng.below(8));
}
void cut(std::string& bytes, Rng& rng) { bytes.resize(rng.below(bytes.size())); }
void take_out(std::string& bytes, Rng& rng) { bytes.erase(rng.below(bytes.size()), 1 + rng.below(64)); }
void insert_noise(std::string& bytes, Rng& rng) {
  std::string noise(1 + rng.below(64), '\0');
  for (char& c : noise) c = static_cast<char>(rng.below(256));
  bytes.insert(rng.below(bytes.size() + 1), noise);
}
void splice(std::string& bytes, Rng& rng) {
  const std::string piece = bytes.substr(rng.below(bytes.size()), 1 + rng.below(256));
  bytes.insert(rng.below(bytes.size() + 1), piece);
}
void insert_sign(std::string& bytes, Rng& rng) {
  static const std::array<std::string, 14> kSigns{"{",    "}",     "[",  "]",  "\"",   ":",           ",",
                                                  "null", "\x1b[", "\n", "\\", "true", "\"\\u0000\"", "-"};
  bytes.insert(rng.below(bytes.size() + 1), one_of(rng, kSigns));
}
void change_number(std::string& bytes, Rng& rng) {
  static const std::array<std::string, 12> kNumbers{
      "0",     "-1",    "1",   "2", "255", "4294967296", "9007199254740993", "18446744073709551615",
      "1e308", "1e999", "0.5", "7"};
  const auto digit = [&](std::size_t at) { return std::isdigit(static_cast<unsigned char>(bytes[at])) != 0; };
  std::size_t begin = rng.below(bytes.size());
  while (begin < bytes.size() && !digit(begin)) ++begin;
  std::size_t end = begin;
  while (end < bytes.size() && digit(end)) ++end;
  bytes.replace(begin, end - begin, one_of(rng, kNumbers));
}

}  // namespace

void mutate(std::string& bytes, Rng& rng) {
  static constexpr std::array kWays{flip_bits, cut,         take_out,      insert_noise,
                                    splice,    insert_sign, change_number, change_number};
  for (std::uint64_t i = 1 + rng.below(3); i > 0 && !bytes.empty(); --i) one_of(rng, kWays)(bytes, rng);
}

}  // namespace schemamem::campaign
