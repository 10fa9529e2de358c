#include "kernels/bce.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "base/rng.h"
#include "kernels/reference/optimizer.h"

namespace schemamem {
namespace {

constexpr std::size_t kRows = 23, kBits = 5;

struct Rows {
  std::vector<float> logits = std::vector<float>(kRows * kBits), targets = logits, d_logits = logits;
  std::vector<float> weights = std::vector<float>(kRows);

  Rows() {
    Rng rng = Rng::stream(1, Purpose::kTest, 0);
    for (float& z : logits) z = static_cast<float>(4 * rng.normal());
    for (float& y : targets) y = static_cast<float>(rng.below(2));
    for (float& w : weights) w = rng.below(4) == 0 ? 0.0F : rng.uniform_float();
    for (float& d : d_logits) d = std::numeric_limits<float>::quiet_NaN();
  }
  double loss() {
    return bitwise_bce({logits.data(), {kRows, kBits}}, {targets.data(), {kRows, kBits}}, weights,
                       {d_logits.data(), {kRows, kBits}});
  }
};

TEST(BitwiseBce, IsTheWeightedMeanOverBitsOfTheCrossEntropy) {
  Rows rows;
  double expected = 0;
  for (std::size_t t = 0; t < kRows; ++t) {
    for (std::size_t j = 0; j < kBits; ++j) {
      expected += rows.weights[t] / double(kBits) *
                  reference::optimizer::bit_cross_entropy(rows.logits[t * kBits + j], rows.targets[t * kBits + j]);
    }
  }
  EXPECT_NEAR(rows.loss(), expected, 1e-5 * expected);
}

TEST(BitwiseBce, ItsGradientIsTheDerivativeOfItsValue) {
  Rows rows;
  rows.loss();
  for (std::size_t i = 0; i < kRows * kBits; ++i) {
    const double h = 1e-4, z = rows.logits[i], y = rows.targets[i];
    const auto bce = reference::optimizer::bit_cross_entropy;
    const double slope = (bce(z + h, y) - bce(z - h, y)) / (2 * h);
    EXPECT_NEAR(rows.d_logits[i], rows.weights[i / kBits] / double(kBits) * slope, 1e-6) << i;
  }
}

TEST(BitwiseBce, RowsWithoutWeightHaveNoPartEvenIfTheyAreNotFinite) {
  Rows rows;
  rows.weights[3] = 0;
  rows.logits[3 * kBits] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isfinite(rows.loss()));
  EXPECT_EQ(rows.d_logits[3 * kBits], 0.0F);
}

TEST(BitwiseBce, StaysFiniteForLogitsOfAnySize) {
  const std::array<float, 2> logits{1e30F, -1e30F}, targets{0, 1}, weights{1, 1};
  std::array<float, 2> d_logits{};
  EXPECT_TRUE(std::isfinite(
      bitwise_bce({logits.data(), {2, 1}}, {targets.data(), {2, 1}}, weights, {d_logits.data(), {2, 1}})));
  EXPECT_EQ(d_logits, (std::array<float, 2>{1, -1}));
}

}  // namespace
}  // namespace schemamem
