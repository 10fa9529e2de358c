#include "base/sha256.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/result.h"

namespace schemamem {
namespace {

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2).
constexpr std::array<std::uint32_t, 64> kRound{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t turned(std::uint32_t x, int a, int b, int c) {
  return std::rotr(x, a) ^ std::rotr(x, b) ^ std::rotr(x, c);
}
std::uint32_t shifted(std::uint32_t x, int a, int b, int c) { return std::rotr(x, a) ^ std::rotr(x, b) ^ (x >> c); }

}  // namespace

void Sha256::take_block(const std::byte* block) {
  std::array<std::uint32_t, 64> words{};
  for (std::size_t t = 0; t < 16; ++t) {
    for (std::size_t i = 0; i < 4; ++i) words[t] = words[t] << 8 | static_cast<std::uint32_t>(block[4 * t + i]);
  }
  for (std::size_t t = 16; t < words.size(); ++t)
    words[t] = shifted(words[t - 2], 17, 19, 10) + words[t - 7] + shifted(words[t - 15], 7, 18, 3) + words[t - 16];
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t t = 0; t < words.size(); ++t) {
    const std::uint32_t first = h + turned(e, 6, 11, 25) + ((e & f) ^ (~e & g)) + kRound[t] + words[t];
    const std::uint32_t second = turned(a, 2, 13, 22) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const std::array added{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state_.size(); ++i) state_[i] += added[i];
}

void Sha256::update(std::span<const std::byte> bytes) {
  require(!ended_, "Sha256: the digest was already taken");
  const std::size_t waiting = length_ % kBlock;
  length_ += bytes.size();
  if (waiting > 0) {
    const std::size_t taken = std::min(kBlock - waiting, bytes.size());
    std::copy_n(bytes.begin(), taken, open_.begin() + static_cast<std::ptrdiff_t>(waiting));
    bytes = bytes.subspan(taken);
    if (waiting + taken < kBlock) return;
    take_block(open_.data());
  }
  for (; bytes.size() >= kBlock; bytes = bytes.subspan(kBlock)) take_block(bytes.data());
  std::copy(bytes.begin(), bytes.end(), open_.begin());
}

std::string Sha256::hex_digest() {
  const std::uint64_t bits = 8 * length_;
  std::array<std::byte, kBlock + 8> padding{std::byte{0x80}};
  const std::size_t zeros = (2 * kBlock - 9 - length_ % kBlock) % kBlock;
  for (std::size_t i = 0; i < 8; ++i) padding[1 + zeros + i] = static_cast<std::byte>(bits >> (56 - 8 * i));
  update(std::span(padding).first(1 + zeros + 8));
  ended_ = true;
  std::string hex;
  for (const std::uint32_t word : state_) hex += fmt::format("{:08x}", word);
  return hex;
}

std::string sha256_hex(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex_digest();
}

}  // namespace schemamem
