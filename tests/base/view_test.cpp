#include "base/view.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace schemamem {
namespace {

TEST(View, IndexesRowMajorAndSlicesWithoutCopying) {
  std::vector<int> data(24);
  std::iota(data.begin(), data.end(), 0);
  const View<int, 3> view(data.data(), {2, 3, 4});
  EXPECT_EQ(view(1, 2, 3), 23);
  EXPECT_EQ(view[1][0][2], 14);
  EXPECT_EQ(view.slice(1, 1)(0, 0, 0), 12);
  EXPECT_TRUE(view.contiguous());
  view(0, 0, 0) = 99;
  EXPECT_EQ(data[0], 99);
}

TEST(View, ColumnsOfAWiderMatrixAreAView) {
  std::vector<int> data(12);
  std::iota(data.begin(), data.end(), 0);
  const View<const int, 2> middle(data.data() + 1, {3, 2}, {4, 1});
  EXPECT_EQ(middle(2, 1), 10);
  EXPECT_FALSE(middle.contiguous());
  EXPECT_EQ(middle.size(), 6U);
}

TEST(View, AnEmptyViewHasNoElements) { EXPECT_EQ((View<float, 2>().size()), 0U); }

}  // namespace
}  // namespace schemamem
