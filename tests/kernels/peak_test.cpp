#include "kernels/peak.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace schemamem {
namespace {

class MeasuredPeak : public testing::TestWithParam<Isa> {};
INSTANTIATE_TEST_SUITE_P(Isas, MeasuredPeak, testing::ValuesIn(available_isas()),
                         [](const auto& made) { return std::string(isa_name(made.param)); });

TEST_P(MeasuredPeak, IsAPossibleNumberOfFlopsACycle) {
  // Other programs can spoil any one measurement of flops or of the clock, so a few are made. What no load explains is
  // a peak that is always more than hardware of this width can do: then the chains were merged.
  constexpr int kAttempts = 30;
  const double widest = GetParam() == Isa::kAvx512 ? 64 : 32;
  double least = std::numeric_limits<double>::infinity();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Peak peak = measure_peak(GetParam());
    ASSERT_GT(peak.gigaflops, 0);
    ASSERT_GT(peak.gigahertz, 0);
    ASSERT_DOUBLE_EQ(peak.flops_per_cycle, peak.gigaflops / peak.gigahertz);
    if (is_possible_peak(GetParam(), peak.flops_per_cycle)) return;
    least = std::min(least, peak.flops_per_cycle);
  }
  ASSERT_LE(least, 1.1 * widest) << "the peak test lies";
  GTEST_SKIP() << "in " << kAttempts << " attempts this machine was never quiet enough: " << least
               << " flops a cycle at least";
}

TEST(PossiblePeak, IsOneOrTwoPipesOfTheVectorWidth) {
  EXPECT_TRUE(is_possible_peak(Isa::kAvx512, 64));
  EXPECT_TRUE(is_possible_peak(Isa::kAvx512, 31.5));
  EXPECT_TRUE(is_possible_peak(Isa::kAvx2, 32.2));
  EXPECT_TRUE(is_possible_peak(Isa::kAvx2, 16));
  EXPECT_TRUE(is_possible_peak(Isa::kNeon, 16));
  EXPECT_TRUE(is_possible_peak(Isa::kBaseline, 8));
}

TEST(PossiblePeak, IsNotWhatMergedChainsShow) {
  EXPECT_FALSE(is_possible_peak(Isa::kAvx512, 350 / 3.66));
  EXPECT_FALSE(is_possible_peak(Isa::kAvx2, 176 / 3.66));
  EXPECT_FALSE(is_possible_peak(Isa::kAvx2, 24));
  EXPECT_FALSE(is_possible_peak(Isa::kBaseline, 0));
  EXPECT_FALSE(is_possible_peak(Isa::kScalar, 40));
}

}  // namespace
}  // namespace schemamem
