#include "base/sha256.h"

#include <gtest/gtest.h>

#include <string_view>

#include "base/result.h"

namespace schemamem {
namespace {

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(Sha256, GivesTheDigestsOfTheStandard) {
  EXPECT_EQ(sha256_hex({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex(bytes("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(bytes("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256, DoesNotCareInWhichPiecesTheBytesArrive) {
  Sha256 hash;
  hash.update(bytes("a"));
  hash.update({});
  Sha256 moved = std::move(hash);
  moved.update(bytes("bc"));
  EXPECT_EQ(moved.hex_digest(), sha256_hex(bytes("abc")));
}

TEST(Sha256, RefusesToGoOnAfterTheDigest) {
  Sha256 hash;
  static_cast<void>(hash.hex_digest());
  EXPECT_THROW(hash.update(bytes("a")), ContractViolation);
  EXPECT_THROW(static_cast<void>(hash.hex_digest()), ContractViolation);
}

}  // namespace
}  // namespace schemamem
