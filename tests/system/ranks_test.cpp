#include "system/ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/thread_ranks.h"

namespace schemamem {
namespace {

using testing::ElementsAre;

TEST(Ranks, AProcessAloneKeepsWhatItHas) {
  EXPECT_TRUE(alone().is_alone());
  EXPECT_TRUE(alone().is_first());
  EXPECT_EQ(alone().largest(-3), -3);
  std::vector<std::int64_t> counts{1, 2};
  add_counts(alone(), counts);
  EXPECT_THAT(counts, ElementsAre(1, 2));
  EXPECT_EQ(share_text(alone(), "text"), "text");
  EXPECT_EQ(share_text(alone(), std::nullopt), std::nullopt);
}

TEST(Ranks, EvenSharesFollowEachOtherAndDifferByAtMostOne) {
  for (const std::size_t parts : {1, 2, 3, 8, 64}) {
    for (const std::size_t count : {0, 1, 7, 8, 100}) {
      EXPECT_EQ(even_share(count, parts, 0), 0U);
      EXPECT_EQ(even_share(count, parts, parts), count);
      for (std::size_t i = 0; i < parts; ++i) {
        const std::size_t size = even_share(count, parts, i + 1) - even_share(count, parts, i);
        EXPECT_TRUE(size == count / parts || size == count / parts + 1) << count << " in " << parts;
      }
    }
  }
}

TEST(Ranks, ThreeOfThemAgreeAddAndShare) {
  test::ThreadRanks three(3);
  three.run([](Ranks& ranks) {
    EXPECT_EQ(ranks.largest(10 * ranks.mine()), 20);
    std::vector<std::int64_t> counts{ranks.mine(), 1};
    add_counts(ranks, counts);
    EXPECT_THAT(counts, ElementsAre(3, 3));
    EXPECT_EQ(share_text(ranks, ranks.is_first() ? "of rank 0" : "of another"), "of rank 0");
    EXPECT_EQ(share_text(ranks, std::nullopt), std::nullopt);
  });
}

}  // namespace
}  // namespace schemamem
