#include "kernels/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "kernels/reference/optimizer.h"

namespace schemamem {
namespace {

std::vector<float> normals(std::size_t count, std::uint64_t index) {
  Rng rng = Rng::stream(1, Purpose::kTest, index);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(rng.normal());
  return values;
}

TEST(SquaredNorm, AddsTheSquaresOfAnyNumberOfValues) {
  for (const std::size_t count : {0U, 1U, 7U, 8U, 9U, 1000U}) {
    const std::vector<float> values = normals(count, count);
    double expected = 0;
    for (const float value : values) expected += double(value) * value;
    EXPECT_NEAR(squared_norm(values), expected, 1e-12 * (1 + expected));
  }
}

TEST(AdamWStep, FollowsItsEquationsOverManySteps) {
  constexpr std::size_t kCount = 37;
  std::vector<float> weights = normals(kCount, 1), first(kCount), second(kCount);
  std::vector<reference::optimizer::AdamState> expected(kCount);
  for (std::size_t i = 0; i < kCount; ++i) expected[i].w = weights[i];
  for (int step = 1; step <= 50; ++step) {
    const std::vector<float> gradient = normals(kCount, static_cast<std::uint64_t>(100 + step));
    adamw_step({.rate = 1e-2, .weight_decay = 0.1, .step = step, .gradient_scale = 0.5}, gradient, weights, first,
               second);
    for (std::size_t i = 0; i < kCount; ++i) {
      expected[i] = reference::optimizer::adamw(expected[i], 0.5 * gradient[i], 1e-2, 0.9, 0.999, 1e-8, 0.1, step);
    }
  }
  for (std::size_t i = 0; i < kCount; ++i) {
    EXPECT_NEAR(weights[i], expected[i].w, 1e-5);
    EXPECT_NEAR(first[i], expected[i].m, 1e-5);
    EXPECT_NEAR(second[i], expected[i].v, 1e-5);
  }
}

TEST(AverageStep, MovesTheAverageTowardsTheWeights) {
  const std::vector<float> weights{1, 2};
  std::vector<float> average{0, 4};
  average_step(0.75, weights, average);
  EXPECT_EQ(average, (std::vector<float>{0.25F, 3.5F}));
}

TEST(NesterovStep, LooksAheadAlongTheMoment) {
  const std::vector<float> gradient{2};
  std::vector<float> moment{4}, direction{0};
  nesterov_step(0.5, 0.5, gradient, moment, direction);
  EXPECT_EQ(moment[0], 3.0F);
  EXPECT_EQ(direction[0], 2.5F);
}

TEST(DirectedStep, DecaysAndMoves) {
  const std::vector<float> direction{2};
  std::vector<float> weights{8};
  directed_step(0.5, 0.25, 2, direction, weights);
  EXPECT_EQ(weights[0], 8.0F - 1.0F - 2.0F);
}

class NewtonSchulzShapes : public testing::TestWithParam<std::pair<std::size_t, std::size_t>> {};

TEST_P(NewtonSchulzShapes, FollowsItsEquationsOnEveryInstructionSet) {
  const auto [rows, columns] = GetParam();
  for (const Isa isa : available_isas()) {
    std::vector<float> matrix = normals(rows * columns, rows * 100 + columns);
    reference::optimizer::DenseMatrix expected(rows, std::vector<double>(columns));
    for (std::size_t i = 0; i < matrix.size(); ++i) expected[i / columns][i % columns] = matrix[i];
    expected = reference::optimizer::newton_schulz(expected);

    NewtonSchulz work(64, isa);
    work({matrix.data(), {rows, columns}});

    for (std::size_t i = 0; i < matrix.size(); ++i) {
      ASSERT_NEAR(matrix[i], expected[i / columns][i % columns], 2e-4) << isa_name(isa) << " at " << i;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(AllShapes, NewtonSchulzShapes,
                         testing::Values(std::pair{32, 32}, std::pair{64, 32}, std::pair{32, 8}, std::pair{16, 32},
                                         std::pair{2, 32}, std::pair{5, 7}, std::pair{64, 64}, std::pair{1, 1}));

TEST(NewtonSchulz, LeavesNothingOfAnEarlierMatrixBehind) {
  std::vector<float> large = normals(64 * 64, 1), again = normals(5 * 3, 2), fresh = again;
  NewtonSchulz used(64), untouched(64);
  used({large.data(), {64, 64}});
  used({again.data(), {5, 3}});
  untouched({fresh.data(), {5, 3}});
  EXPECT_EQ(again, fresh);
}

TEST(NewtonSchulz, AZeroMatrixStaysZero) {
  std::vector<float> zeros(12);
  NewtonSchulz work(16);
  work({zeros.data(), {3, 4}});
  EXPECT_EQ(zeros, std::vector<float>(12));
}

}  // namespace
}  // namespace schemamem
