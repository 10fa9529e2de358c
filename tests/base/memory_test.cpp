#include "base/memory.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace schemamem {
namespace {

TEST(Buffer, IsAlignedToACacheLineAndStartsAtZero) {
  for (const std::size_t size : {1U, 3U, 64U, 1001U}) {
    const Buffer<float> buffer(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % kAlignment, 0U);
    for (const float value : buffer) EXPECT_EQ(value, 0.0F);
  }
}

TEST(Buffer, CopiesAreIndependentAndMovesLeaveNothingBehind) {
  Buffer<int> a(3);
  a[1] = 7;
  Buffer<int> b = a;
  b[1] = 8;
  EXPECT_EQ(a[1], 7);
  const Buffer<int> c = std::move(b);
  EXPECT_EQ(c[1], 8);
  EXPECT_EQ(b.size(), 0U);  // NOLINT(bugprone-use-after-move): the point of the test
}

TEST(Arena, GivesDisjointAlignedBlocksFromOneAllocation) {
  Arena arena;
  const auto first = arena.reserve<float>(5);
  const auto second = arena.reserve<double>(7);
  arena.allocate();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arena.at(second)) % kAlignment, 0U);
  EXPECT_GE(reinterpret_cast<std::byte*>(arena.at(second)) - reinterpret_cast<std::byte*>(arena.at(first)), 20);
}

TEST(Arena, PoisonIsNotANumberForBothScalarTypes) {
  Arena arena({.poison = true});
  const auto f = arena.reserve<float>(3);
  const auto d = arena.reserve<double>(3);
  arena.allocate();
  EXPECT_TRUE(std::isnan(arena.at(f)[2]));
  EXPECT_TRUE(std::isnan(arena.at(d)[0]));
}

TEST(Arena, NoticesAWriteBehindABlock) {
  Arena arena({.guard = 64});
  const auto block = arena.reserve<float>(16);
  arena.allocate();
  arena.at(block)[15] = 1;
  EXPECT_TRUE(arena.guards_intact());
  arena.at(block)[16] = 1;
  EXPECT_FALSE(arena.guards_intact());
}

TEST(Arena, TakingTheSameBlocksTwiceAnnouncesThemThenReturnsThem) {
  Arena arena({.guard = 8});
  float* x = nullptr;
  double* y = nullptr;
  const auto take_all = [&] {
    x = arena.take<float>(3);
    y = arena.take<double>(2);
  };
  take_all();
  EXPECT_EQ(x, nullptr);
  arena.allocate();
  take_all();
  x[2] = 1;
  y[1] = 1;
  EXPECT_TRUE(arena.guards_intact());
  x[3] = 1;
  EXPECT_FALSE(arena.guards_intact());
  EXPECT_THROW(arena.take<float>(1), ContractViolation);
}

TEST(Arena, RefusesToGrowAfterItWasAllocated) {
  Arena arena;
  arena.allocate();
  EXPECT_THROW(arena.reserve<int>(1), ContractViolation);
}

}  // namespace
}  // namespace schemamem
