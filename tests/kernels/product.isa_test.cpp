#include "kernels/product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/kernel_case.h"
#include "kernels/rows.h"

namespace schemamem::SCHEMAMEM_ISA {
namespace {

using test::Guarded;
using test::random_values;

template <class T>
class Product : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Product, Scalars);

// Kernels are forced inline; one copy for each type keeps this file quick to compile.
template <class T>
[[gnu::noinline]] void multiply_any(Left<T> a, Right<T> b, T* c, std::size_t c_row, std::size_t rows,
                                    std::size_t columns, std::size_t depth, bool onto) {
  if (onto) {
    multiply_onto<T>(a, b, c, c_row, rows, columns, depth);
  } else {
    multiply<T>(a, b, c, c_row, rows, columns, depth);
  }
}

/// C = A B or C += A B with the left factor as stored or transposed, against scalar double.
template <class T>
void check_product(std::size_t rows, std::size_t columns, std::size_t depth, bool transposed, bool onto) {
  const std::size_t gap = 3;  // between the rows of every matrix
  const std::size_t a_row = (transposed ? rows : depth) + gap, b_row = columns + gap, c_row = columns + gap;
  const std::vector<T> a = random_values<T>((transposed ? std::max<std::size_t>(depth, 1) : rows) * a_row + 1, 1);
  const std::vector<T> b = random_values<T>(std::max<std::size_t>(depth, 1) * b_row, 2);
  const std::vector<T> start = random_values<T>(rows * c_row, 3);
  Guarded<T> c(start);
  const Left<T> left{a.data(), transposed ? 1 : a_row, transposed ? a_row : 1};
  multiply_any<T>(left, {b.data(), b_row}, c.data(), c_row, rows, columns, depth, onto);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      double sum = onto ? static_cast<double>(start[i * c_row + j]) : 0.0;
      double size = std::abs(sum);
      for (std::size_t k = 0; k < depth; ++k) {
        const double term =
            static_cast<double>(a[i * left.row + k * left.inner]) * static_cast<double>(b[k * b_row + j]);
        sum += term;
        size += std::abs(term);
      }
      const double bound = static_cast<double>(depth + 1) * std::numeric_limits<T>::epsilon() * size;
      ASSERT_NEAR(c[i * c_row + j], sum, bound)
          << rows << " x " << columns << " x " << depth << (transposed ? ", transposed" : "") << (onto ? ", onto" : "");
    }
    for (std::size_t j = columns; j < c_row; ++j) ASSERT_EQ(c[i * c_row + j], start[i * c_row + j]) << "in the gap";
  }
  ASSERT_TRUE(c.intact());
}

TYPED_TEST(Product, EqualsTheScalarSumForEveryShape) {
  using T = TypeParam;
  for (std::size_t rows = 1; rows <= 20; ++rows) {
    for (std::size_t vectors = 1; vectors <= 5; ++vectors) {
      for (const std::size_t depth : {0, 1, 2, 3, 7, 16, 33, 70}) {
        for (const bool transposed : {false, true}) {
          for (const bool onto : {false, true}) {
            ASSERT_NO_FATAL_FAILURE(check_product<T>(rows, vectors * kLanes<T>, depth, transposed, onto));
          }
        }
      }
    }
  }
  for (std::size_t depth = 0; depth <= 70; ++depth) {
    ASSERT_NO_FATAL_FAILURE(check_product<T>(13, 3 * kLanes<T>, depth, false, false));
  }
}

TYPED_TEST(Product, ARowHasTheSameBitsWhateverRowsAreBesideIt) {
  using T = TypeParam;
  const std::size_t rows = 20, columns = 5 * kLanes<T>, depth = 37;
  const std::vector<T> a = random_values<T>(rows * depth, 4), b = random_values<T>(depth * columns, 5);
  std::vector<T> together(rows * columns);
  multiply_any<T>({a.data(), depth, 1}, {b.data(), columns}, together.data(), columns, rows, columns, depth, false);
  for (std::size_t count = 1; count < rows; ++count) {
    for (std::size_t first = 0; first + count <= rows; first += count) {
      std::vector<T> part(count * columns);
      multiply_any<T>({a.data() + first * depth, depth, 1}, {b.data(), columns}, part.data(), columns, count, columns,
                      depth, false);
      ASSERT_TRUE(std::equal(part.begin(), part.end(), together.begin() + static_cast<std::ptrdiff_t>(first * columns)))
          << count << " rows from " << first;
    }
  }
}

TYPED_TEST(Product, SizesKnownToTheCompilerGiveTheSameBits) {
  using T = TypeParam;
  constexpr std::size_t kRows = 11, kColumns = 4 * kLanes<T>, kDepth = 23;
  const std::vector<T> a = random_values<T>(kRows * kDepth, 6), b = random_values<T>(kDepth * kColumns, 7);
  std::vector<T> any(kRows * kColumns), fixed(any.size());
  multiply_any<T>({a.data(), kDepth, 1}, {b.data(), kColumns}, any.data(), kColumns, kRows, kColumns, kDepth, false);
  multiply<T>({a.data(), kDepth, 1}, {b.data(), kColumns}, fixed.data(), kColumns, Fixed<kRows>{}, Fixed<kColumns>{},
              Fixed<kDepth>{});
  EXPECT_EQ(fixed, any);
}

TYPED_TEST(Product, ASumThatContinuesFromCHasTheBitsOfOneLongSum) {
  using T = TypeParam;
  const std::size_t rows = 9, columns = 3 * kLanes<T>, depth = 50, first = 19;
  const std::vector<T> a = random_values<T>(rows * depth, 8), b = random_values<T>(depth * columns, 9);
  std::vector<T> whole(rows * columns), parts(rows * columns);
  multiply_any<T>({a.data(), depth, 1}, {b.data(), columns}, whole.data(), columns, rows, columns, depth, false);
  multiply_any<T>({a.data(), depth, 1}, {b.data(), columns}, parts.data(), columns, rows, columns, first, false);
  multiply_any<T>({a.data() + first, depth, 1}, {b.data() + first * columns, columns}, parts.data(), columns, rows,
                  columns, depth - first, true);
  EXPECT_EQ(parts, whole);
}

TYPED_TEST(Product, TransposeMovesEveryElement) {
  using T = TypeParam;
  for (std::size_t m = 1; m <= 3; ++m) {
    for (std::size_t n = 1; n <= 3; ++n) {
      const std::size_t rows = m * kLanes<T>, columns = n * kLanes<T>, from_row = columns + 5, to_row = rows + 2;
      const std::vector<T> from = random_values<T>(rows * from_row, 10);
      Guarded<T> to(columns * to_row, T(7));
      transpose<T>(from.data(), from_row, rows, columns, to.data(), to_row);
      for (std::size_t j = 0; j < columns; ++j) {
        for (std::size_t i = 0; i < to_row; ++i) {
          ASSERT_EQ(to[j * to_row + i], i < rows ? from[i * from_row + j] : T(7)) << i << ", " << j;
        }
      }
      EXPECT_TRUE(to.intact());
    }
  }
}

TYPED_TEST(Product, SumsOfLanesAreTheSumsOfEachVectorAloneBitByBit) {
  using T = TypeParam;
  constexpr int kCount = kLanes<T>;
  const std::vector<T> values = random_values<T>(kCount * kCount, 11);
  Vec<T> rows[kCount];
  for (int i = 0; i < kCount; ++i) rows[i] = load<T>(&values[static_cast<std::size_t>(i * kCount)]);
  const Vec<T> sums = sums_of_lanes<T>(rows);
  for (int i = 0; i < kCount; ++i) {
    const Vec<T> row = load<T>(&values[static_cast<std::size_t>(i * kCount)]);
    double exact = 0, size = 0, largest = -1e300;
    for (int j = 0; j < kCount; ++j) {
      exact += static_cast<double>(row[j]);
      size += std::abs(static_cast<double>(row[j]));
      largest = std::max(largest, static_cast<double>(row[j]));
    }
    EXPECT_EQ(sums[i], horizontal_sum<T>(row));
    EXPECT_NEAR(sums[i], exact, kCount * std::numeric_limits<T>::epsilon() * size);
    EXPECT_EQ(static_cast<double>(horizontal_max<T>(row)), largest);
  }
}

TYPED_TEST(Product, RowSumsDoNotDependOnTheRowsBesideThem) {
  using T = TypeParam;
  const std::size_t rows = 2 * kLanes<T> + 3, width = 3 * kLanes<T>;
  const std::vector<T> a = random_values<T>(rows * width, 12);
  const auto squares_of = [&](std::size_t first, std::size_t count) {
    Guarded<T> sums(count);
    row_sums<T>(
        count, sums.data(),
        [&](std::size_t t) { return dot_lanes<T>(&a[(first + t) * width], &a[(first + t) * width], width); },
        [](Vec<T> sum, std::size_t) { return sum; });
    EXPECT_TRUE(sums.intact());
    return sums.values();
  };
  const std::vector<T> together = squares_of(0, rows);
  for (std::size_t t = 0; t < rows; ++t) {
    double exact = 0;
    for (std::size_t j = 0; j < width; ++j) exact += std::pow(static_cast<double>(a[t * width + j]), 2);
    EXPECT_NEAR(together[t], exact, static_cast<double>(width) * std::numeric_limits<T>::epsilon() * exact);
    EXPECT_EQ(squares_of(t, 1)[0], together[t]);
  }
}

TYPED_TEST(Product, MasksKeepTheFirstLanesAndSeeAnySetLane) {
  using T = TypeParam;
  const Vec<T> ones = broadcast<T>(1);
  for (int count = -1; count <= kLanes<T> + 1; ++count) {
    const Vec<T> kept = keep<T>(first_lanes<T>(count), ones);
    for (int i = 0; i < kLanes<T>; ++i) EXPECT_EQ(kept[i], i < count ? T(1) : T(0)) << count;
    EXPECT_EQ(any_lane<T>(first_lanes<T>(count)), count > 0);
  }
  EXPECT_EQ(absolute<T>(broadcast<T>(-3))[0], T(3));
  EXPECT_EQ(square_root<T>(broadcast<T>(9))[kLanes<T> - 1], T(3));
}

}  // namespace
}  // namespace schemamem::SCHEMAMEM_ISA
