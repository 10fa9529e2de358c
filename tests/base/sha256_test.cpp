#include "base/sha256.h"

#include <gtest/gtest.h>

#include <string>
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

TEST(Sha256, AgreesWithAnotherImplementationAtEveryLengthAroundItsBlocks) {
  // hashlib.sha256 of the hexadecimal digests of the first 0 to 300 bytes, one behind the other
  std::string all, digests;
  for (int n = 0; n <= 300; ++n) {
    digests += sha256_hex(bytes(all));
    all += static_cast<char>((7 * n + 3) % 256);
  }
  EXPECT_EQ(sha256_hex(bytes(digests)), "9ab015b3431ba48c0f99e81c5bb7d903f6bfea343d7d7b190120d07cc51e653b");
}

TEST(Sha256, DoesNotCareInWhichPiecesTheBytesArrive) {
  Sha256 hash;
  hash.update(bytes("a"));
  hash.update({});
  Sha256 moved = std::move(hash);
  moved.update(bytes("bc"));
  EXPECT_EQ(moved.hex_digest(), sha256_hex(bytes("abc")));

  const std::string text(500, 'x');
  for (const std::size_t piece : {1U, 63U, 64U, 65U, 200U}) {
    Sha256 cut;
    for (std::size_t i = 0; i < text.size(); i += piece) cut.update(bytes(std::string_view(text).substr(i, piece)));
    EXPECT_EQ(cut.hex_digest(), sha256_hex(bytes(text))) << piece;
  }
}

TEST(Sha256, RefusesToGoOnAfterTheDigest) {
  Sha256 hash;
  static_cast<void>(hash.hex_digest());
  EXPECT_THROW(hash.update(bytes("a")), ContractViolation);
  EXPECT_THROW(static_cast<void>(hash.hex_digest()), ContractViolation);
}

}  // namespace
}  // namespace schemamem
