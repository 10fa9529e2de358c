#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace schemamem {

/// SHA-256 (FIPS 180-4) of bytes that arrive in pieces. Our own, so that a model can be opened where there is no
/// libcrypto: in a browser, in a Python wheel (docs/decisions/0010).
class Sha256 {
 public:
  void update(std::span<const std::byte> bytes);
  /// 64 lower-case hexadecimal digits. Ends the object: nothing may follow.
  std::string hex_digest();

 private:
  static constexpr std::size_t kBlock = 64;
  void take_block(const std::byte* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667U, 0xbb67ae85U, 0x3c6ef372U, 0xa54ff53aU,
                                      0x510e527fU, 0x9b05688cU, 0x1f83d9abU, 0x5be0cd19U};
  std::array<std::byte, kBlock> open_{};  // the first length_ % kBlock bytes wait for the rest of their block
  std::uint64_t length_ = 0;
  bool ended_ = false;
};

std::string sha256_hex(std::span<const std::byte> bytes);

}  // namespace schemamem
