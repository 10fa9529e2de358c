#include "kernels/cross_entropy.h"

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
  std::vector<float> logits = std::vector<float>(kRows * kBits), d_logits = logits;
  std::vector<float> weights = std::vector<float>(kRows);
  std::vector<std::int32_t> labels = std::vector<std::int32_t>(kRows);

  Rows() {
    Rng rng = Rng::stream(1, Purpose::kTest, 0);
    for (float& z : logits) z = static_cast<float>(4 * rng.normal());
    for (std::int32_t& label : labels) label = static_cast<std::int32_t>(rng.below(1U << kBits));
    for (float& w : weights) w = rng.below(4) == 0 ? 0.0F : rng.uniform_float();
    for (float& d : d_logits) d = std::numeric_limits<float>::quiet_NaN();
  }
  double bit(std::size_t row, std::size_t j) const { return (labels[row] >> j) & 1; }
  double loss() {
    return bitwise_cross_entropy({logits.data(), {kRows, kBits}}, labels, weights, {d_logits.data(), {kRows, kBits}});
  }
  double class_loss() {
    for (std::int32_t& label : labels) label %= kBits;
    return softmax_cross_entropy({logits.data(), {kRows, kBits}}, labels, weights, {d_logits.data(), {kRows, kBits}});
  }
};

TEST(BitwiseCrossEntropy, IsTheWeightedMeanOverBitsOfTheCrossEntropy) {
  Rows rows;
  double expected = 0;
  for (std::size_t t = 0; t < kRows; ++t) {
    for (std::size_t j = 0; j < kBits; ++j) {
      expected += rows.weights[t] / double(kBits) *
                  reference::optimizer::bit_cross_entropy(rows.logits[t * kBits + j], rows.bit(t, j));
    }
  }
  EXPECT_NEAR(rows.loss(), expected, 1e-5 * expected);
}

TEST(BitwiseCrossEntropy, ItsGradientIsTheDerivativeOfItsValue) {
  Rows rows;
  rows.loss();
  for (std::size_t i = 0; i < kRows * kBits; ++i) {
    const double h = 1e-4, z = rows.logits[i], y = rows.bit(i / kBits, i % kBits);
    const auto bce = reference::optimizer::bit_cross_entropy;
    const double slope = (bce(z + h, y) - bce(z - h, y)) / (2 * h);
    EXPECT_NEAR(rows.d_logits[i], rows.weights[i / kBits] / double(kBits) * slope, 1e-6) << i;
  }
}

TEST(BitwiseCrossEntropy, RowsWithoutWeightHaveNoPartEvenIfTheyAreNotFinite) {
  Rows rows;
  rows.weights[3] = 0;
  rows.logits[3 * kBits] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isfinite(rows.loss()));
  EXPECT_EQ(rows.d_logits[3 * kBits], 0.0F);
}

TEST(BitwiseCrossEntropy, StaysFiniteForLogitsOfAnySize) {
  const std::array<float, 2> logits{1e30F, -1e30F}, weights{1, 1};
  const std::array<std::int32_t, 2> labels{0, 1};
  std::array<float, 2> d_logits{};
  EXPECT_TRUE(
      std::isfinite(bitwise_cross_entropy({logits.data(), {2, 1}}, labels, weights, {d_logits.data(), {2, 1}})));
  EXPECT_EQ(d_logits, (std::array<float, 2>{1, -1}));
}

/// log sum_j e^{z_j} - z_label, in double.
double class_cross_entropy(const std::vector<double>& z, std::size_t label) {
  double sum = 0;
  for (const double one : z) sum += std::exp(one);
  return std::log(sum) - z[label];
}

TEST(SoftmaxCrossEntropy, IsTheWeightedSumOfTheSurpriseAtTheRightClassAndItsGradientTheDerivative) {
  Rows rows;
  const double loss = rows.class_loss();
  double expected = 0;
  for (std::size_t t = 0; t < kRows; ++t) {
    std::vector<double> z(rows.logits.begin() + t * kBits, rows.logits.begin() + (t + 1) * kBits);
    const auto label = static_cast<std::size_t>(rows.labels[t]);
    expected += rows.weights[t] * class_cross_entropy(z, label);
    for (std::size_t j = 0; j < kBits; ++j) {
      const double h = 1e-5, at = z[j];
      z[j] = at + h;
      const double above = class_cross_entropy(z, label);
      z[j] = at - h;
      const double below = class_cross_entropy(z, label);
      z[j] = at;
      EXPECT_NEAR(rows.d_logits[t * kBits + j], rows.weights[t] * (above - below) / (2 * h), 1e-6) << t << " " << j;
    }
  }
  EXPECT_NEAR(loss, expected, 1e-5 * expected);
}

TEST(SoftmaxCrossEntropy, StaysFiniteForLogitsOfAnySizeAndLeavesRowsWithoutWeightAlone) {
  const std::array<float, 6> logits{1e30F, -1e30F, 0, std::numeric_limits<float>::quiet_NaN(), 0, 0};
  const std::array<std::int32_t, 2> labels{0, -1};
  const std::array<float, 2> weights{2, 0};
  std::array<float, 6> d_logits{};
  EXPECT_EQ(softmax_cross_entropy({logits.data(), {2, 3}}, labels, weights, {d_logits.data(), {2, 3}}), 0);
  EXPECT_EQ(d_logits, (std::array<float, 6>{0, 0, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace schemamem
