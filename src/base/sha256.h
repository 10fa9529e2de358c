#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace schemamem {

/// SHA-256 (FIPS 180-4) of bytes that arrive in pieces, computed by libcrypto. Move-only.
class Sha256 {
 public:
  Sha256();
  void update(std::span<const std::byte> bytes);
  /// 64 lower-case hexadecimal digits. Ends the object: nothing may follow.
  std::string hex_digest();

 private:
  struct Free {
    void operator()(void* context) const;
  };
  std::unique_ptr<void, Free> context_;
};

std::string sha256_hex(std::span<const std::byte> bytes);

}  // namespace schemamem
