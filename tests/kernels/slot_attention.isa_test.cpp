#include "kernels/slot_attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "kernels/kernel_case.h"
#include "kernels/reference/operations.h"

namespace schemamem::SCHEMAMEM_ISA {
namespace {

using reference::Matrix;
using reference::operator*;
using reference::operator+;
using reference::operator+=;
using test::distance;
using test::Guarded;
using test::random_rows;
using test::random_values;
using test::to_matrix;

template <class T>
constexpr double kEpsilon = std::numeric_limits<T>::epsilon();

using AnySizes = SlotSizes<std::size_t, std::size_t, std::size_t>;

template <class T>
[[gnu::noinline]] void run_forward(const AnySizes& sizes, std::size_t rows, const SlotForward<T>& a) {
  slot_attention_forward<T>(sizes, rows, a);
}

/// One problem: queries [rows, width] against keys and values [slots, width], padded to whole vectors.
template <class T>
struct SlotCase {
  SlotCase(std::size_t slots, std::size_t width_, std::size_t rows_, double scale, bool nowhere_ = false)
      : width(width_),
        rows(rows_),
        nowhere(nowhere_),
        sizes{slots, round_up_to_lanes<T>(slots), round_up_to_lanes<T>(width_)},
        query(random_rows<T>(rows, width, D(), 1, scale)),
        keys_t(random_rows<T>(width, slots, M(), 2)),
        values(random_rows<T>(slots, width, D(), 3)),
        addend(random_rows<T>(rows, width, D(), 4)),
        powers(rows * M()),
        inverse(rows),
        out(rows * D()),
        scratch(rows * kLanes<T>) {
    keys_t.resize(D() * M(), T(0));
    values.resize(M() * D(), T(0));
    for (std::size_t m = 0; m < slots; ++m) {
      T squares = 0;
      for (std::size_t j = 0; j < width; ++j) squares += keys_t[j * M() + m] * keys_t[j * M() + m];
      key_norm = std::max(key_norm, std::sqrt(squares));
    }
  }
  std::size_t D() const { return sizes.padded_width; }
  std::size_t M() const { return sizes.padded_slots; }

  /// Runs `count` rows from `first` on, as one call.
  void run(std::size_t first, std::size_t count) {
    run_forward<T>(sizes, count,
                   {.query = query.data() + first * D(),
                    .keys_t = keys_t.data(),
                    .key_norm = key_norm,
                    .values = values.data(),
                    .value_row = D(),
                    .addend = addend.data() + first * D(),
                    .powers = powers.data() + first * M(),
                    .inverse = inverse.data() + first,
                    .out = out.data() + first * D(),
                    .scratch = scratch.data(),
                    .nowhere = nowhere});
  }
  Matrix scores() const {  // base 2
    return to_matrix(query, rows, width, D()) * to_matrix(keys_t, width, sizes.slots, M());
  }
  Matrix exact_probabilities() const {
    if (nowhere) return reference::softmax_or_nowhere(scores() * std::numbers::ln2);
    return reference::softmax(scores() * std::numbers::ln2, [&](std::size_t) { return std::size_t{sizes.slots}; });
  }
  Matrix probabilities() const {
    Matrix p = to_matrix(powers, rows, sizes.slots, M());
    for (std::size_t t = 0; t < rows; ++t) {
      for (double& value : p[t]) value *= static_cast<double>(inverse[t]);
    }
    return p;
  }
  bool intact() const { return powers.intact() && inverse.intact() && out.intact() && scratch.intact(); }

  std::size_t width, rows;
  bool nowhere;
  AnySizes sizes;
  std::vector<T> query, keys_t, values, addend;
  T key_norm = 0;
  Guarded<T> powers, inverse, out, scratch;
};

/// A score of size s is off by s eps times its terms, which is the relative error of its power.
template <class T>
double tolerance(const SlotCase<T>& c) {
  double largest = 1;
  for (const auto& row : c.scores()) {
    for (const double score : row) largest = std::max(largest, std::abs(score));
  }
  return (20 + static_cast<double>(c.sizes.slots + c.width) + 4 * largest) * kEpsilon<T>;
}

template <class T>
class SlotAttention : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(SlotAttention, Scalars);

TYPED_TEST(SlotAttention, IsTheSoftmaxOverTheSlotsPlusTheAddend) {
  using T = TypeParam;
  for (const std::size_t slots : {1, 2, 5, 16, 33, 176}) {
    for (const std::size_t width : {2, 4, 18, 32}) {
      for (const std::size_t rows : {1, 3, 9, 17}) {
        for (const double scale : {0.1, 1.0, 30.0, 3000.0}) {
          SlotCase<T> c(slots, width, rows, scale);
          c.run(0, rows);
          const Matrix p = c.exact_probabilities();
          SCOPED_TRACE(testing::Message() << slots << " slots, " << width << " wide, " << rows << " rows, " << scale);
          ASSERT_LE(distance(c.probabilities(), p), tolerance(c));
          ASSERT_LE(distance(to_matrix(c.out, rows, width, c.D()),
                             to_matrix(c.addend, rows, width, c.D()) + p * to_matrix(c.values, slots, width, c.D())),
                    2 * tolerance(c));
          for (std::size_t t = 0; t < rows; ++t) {
            for (std::size_t m = slots; m < c.M(); ++m) ASSERT_EQ(c.powers[t * c.M() + m], T(0)) << "padded slot";
            for (std::size_t j = width; j < c.D(); ++j) ASSERT_EQ(c.out[t * c.D() + j], T(0)) << "padded column";
          }
          ASSERT_TRUE(c.intact());
        }
      }
    }
  }
}

TYPED_TEST(SlotAttention, WithAPlaceNowhereLeavesItItsShareOfEveryRow) {
  using T = TypeParam;
  for (const std::size_t slots : {1, 5, 33, 176}) {
    for (const double scale : {0.01, 1.0, 30.0, 3000.0}) {
      SlotCase<T> c(slots, 18, 9, scale, true);
      c.run(0, 9);
      SCOPED_TRACE(testing::Message() << slots << " slots, " << scale);
      ASSERT_LE(distance(c.probabilities(), c.exact_probabilities()), tolerance(c));
      ASSERT_TRUE(c.intact());
    }
  }
  SlotCase<T> closed(1, 2, 1, 1.0, true);
  closed.query[0] = closed.query[1] = closed.keys_t[0] = closed.keys_t[closed.M()] = T(-40);
  closed.query[0] = closed.query[1] = T(40);
  closed.key_norm = T(60);
  closed.run(0, 1);
  EXPECT_LT(closed.probabilities()[0][0], 1e-30) << "a row may write nothing at all";
}

TYPED_TEST(SlotAttention, ABoundedRowHasTheSameBitsBesideAnUnboundedOne) {
  using T = TypeParam;
  SlotCase<T> calm(33, 18, 11, 1.0);
  calm.run(0, 11);
  SlotCase<T> mixed(33, 18, 11, 1.0);
  for (std::size_t j = 0; j < mixed.width; ++j) mixed.query[4 * mixed.D() + j] *= T(1e4);
  mixed.run(0, 11);
  for (std::size_t t = 0; t < 11; ++t) {
    if (t == 4) continue;
    for (std::size_t j = 0; j < calm.D(); ++j) ASSERT_EQ(mixed.out[t * calm.D() + j], calm.out[t * calm.D() + j]) << t;
    for (std::size_t m = 0; m < calm.M(); ++m) {
      ASSERT_EQ(mixed.powers[t * calm.M() + m], calm.powers[t * calm.M() + m]) << t;
    }
    ASSERT_EQ(mixed.inverse[t], calm.inverse[t]);
  }
  EXPECT_LE(distance(mixed.probabilities(), mixed.exact_probabilities()), tolerance(mixed));
}

TYPED_TEST(SlotAttention, ARowHasTheSameBitsAloneAndAmongOthers) {
  using T = TypeParam;
  for (const double scale : {1.0, 60.0}) {  // the latter has rows of both kinds
    SlotCase<T> together(37, 20, 19, scale), alone(37, 20, 19, scale);
    together.run(0, 19);
    for (std::size_t t = 0; t < 19; ++t) alone.run(t, 1);
    EXPECT_EQ(alone.out.values(), together.out.values());
    EXPECT_EQ(alone.powers.values(), together.powers.values());
    EXPECT_EQ(alone.inverse.values(), together.inverse.values());
  }
}

TYPED_TEST(SlotAttention, ANanStaysInItsRow) {
  using T = TypeParam;
  SlotCase<T> c(20, 8, 3, 1.0);
  c.query[c.D()] = std::numeric_limits<T>::quiet_NaN();
  c.run(0, 3);
  EXPECT_TRUE(std::isfinite(c.out[0]));
  EXPECT_TRUE(std::isnan(c.out[c.D()]));
  EXPECT_TRUE(std::isfinite(c.out[2 * c.D()]));
}

TYPED_TEST(SlotAttention, KeysOfZeroGiveTheMeanOfTheValues) {
  using T = TypeParam;
  SlotCase<T> c(9, 4, 2, 1.0);
  std::fill(c.keys_t.begin(), c.keys_t.end(), T(0));
  c.key_norm = 0;
  c.run(0, 2);
  for (const auto& row : c.probabilities()) {
    for (const double p : row) EXPECT_NEAR(p, 1.0 / 9, 4 * kEpsilon<T>);
  }
}

TYPED_TEST(SlotAttention, TheGradientOfTheScoresIsPTimesTermsMinusOffset) {
  using T = TypeParam;
  for (const std::size_t slots : {5, 40}) {
    for (const std::size_t rows : {1, 6, 13}) {
      for (const bool two : {false, true}) {
        const std::size_t width = 18, D = round_up_to_lanes<T>(width), M = round_up_to_lanes<T>(slots), row = D + 2;
        const std::vector<T> first = random_values<T>(rows * row, 5), second = random_values<T>(rows * row, 6);
        const std::vector<T> right1 = random_rows<T>(D, slots, M, 7), right2 = random_rows<T>(D, slots, M, 8);
        const std::vector<T> offset = random_values<T>(rows, 9), p = random_rows<T>(rows, slots, M, 10);
        Guarded<T> powers(p);
        slot_score_gradient<T>(AnySizes{slots, M, D}, rows, {first.data(), row, right1.data()},
                               {two ? second.data() : nullptr, row, right2.data()}, offset.data(), powers.data());
        Matrix expected = to_matrix(first, rows, D, row) * to_matrix(right1, D, slots, M);
        if (two) expected += to_matrix(second, rows, D, row) * to_matrix(right2, D, slots, M);
        for (std::size_t t = 0; t < rows; ++t) {
          for (std::size_t m = 0; m < slots; ++m) {
            expected[t][m] = static_cast<double>(p[t * M + m]) * (expected[t][m] - static_cast<double>(offset[t]));
          }
        }
        EXPECT_LE(distance(to_matrix(powers, rows, slots, M), expected), 40 * kEpsilon<T>);
        EXPECT_TRUE(powers.intact());
      }
    }
  }
}

}  // namespace
}  // namespace schemamem::SCHEMAMEM_ISA
