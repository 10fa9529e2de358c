#include "base/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <new>

#include "base/result.h"

namespace schemamem {
namespace {

EVP_MD_CTX* evp(void* context) {
  require(context != nullptr, "Sha256: the digest was already taken");
  return static_cast<EVP_MD_CTX*>(context);
}

}  // namespace

void Sha256::Free::operator()(void* context) const { EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(context)); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  // libcrypto refuses SHA-256 only when it has no memory or no provider; neither is a matter of the bytes.
  if (!context_) throw std::bad_alloc();
  if (EVP_DigestInit_ex(evp(context_.get()), EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("libcrypto offers no SHA-256");
}

void Sha256::update(std::span<const std::byte> bytes) {
  if (EVP_DigestUpdate(evp(context_.get()), bytes.data(), bytes.size()) != 1)
    throw std::runtime_error("libcrypto failed to hash");
}

std::string Sha256::hex_digest() {
  std::array<unsigned char, 32> digest{};
  if (EVP_DigestFinal_ex(evp(context_.get()), digest.data(), nullptr) != 1)
    throw std::runtime_error("libcrypto failed to hash");
  context_.reset();
  std::string hex;
  for (const unsigned char byte : digest) hex += fmt::format("{:02x}", byte);
  return hex;
}

std::string sha256_hex(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex_digest();
}

}  // namespace schemamem
