#include "base/rng.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <set>
#include <vector>

namespace schemamem {
namespace {

Rng test_stream(std::uint64_t index) { return Rng::stream(42, Purpose::kTest, index); }

TEST(Rng, DrawsTheSameBitsForever) {
  // A change of any of these numbers makes every earlier run unrepeatable.
  Rng rng = Rng::stream(0, Purpose::kTrainEpisode, 0);
  std::array<std::uint64_t, 3> raw{};
  for (auto& value : raw) value = rng.next();
  EXPECT_EQ(raw, (std::array<std::uint64_t, 3>{0x641EE1613A6DEC47, 0x91FE86A0FE757CFF, 0xB63DB08B79B44449}));

  Rng other = Rng::stream(0xFFFF'FFFF'FFFF'FFFF, Purpose::kWeights, 123'456'789'012);
  EXPECT_EQ(other.next(), 0xAF8901713E17F3C8U);
  EXPECT_EQ(other.below(10), 0U);
  EXPECT_EQ(other.below(1'000'000'007), 585'024'685U);
  EXPECT_EQ(other.uniform(), 0x1.c879c75f7d927p-1);
  EXPECT_EQ(other.uniform_float(), 0x1.aad6f8p-1F);
  EXPECT_EQ(other.normal(), 0x1.2997af60293a0p-2);
  EXPECT_EQ(other.normal(), 0x1.67d8ba09e81e1p-1);
  std::array<int, 8> order{};
  other.permutation<int>(order);
  EXPECT_EQ(order, (std::array<int, 8>{3, 5, 7, 4, 0, 1, 2, 6}));
}

TEST(Rng, PurposesKeepTheirNumbers) {
  EXPECT_EQ(static_cast<int>(Purpose::kTrainEpisode), 1);
  EXPECT_EQ(static_cast<int>(Purpose::kValidationEpisode), 2);
  EXPECT_EQ(static_cast<int>(Purpose::kEvaluationEpisode), 3);
  EXPECT_EQ(static_cast<int>(Purpose::kWeights), 4);
  EXPECT_EQ(static_cast<int>(Purpose::kOptimizer), 5);
  EXPECT_EQ(static_cast<int>(Purpose::kSchedule), 6);
  EXPECT_EQ(static_cast<int>(Purpose::kBenchmark), 7);
  EXPECT_EQ(static_cast<int>(Purpose::kTest), 8);
}

TEST(Rng, ACopyRepeatsTheSequence) {
  Rng a = test_stream(0);
  static_cast<void>(a.next());
  Rng b = a;
  EXPECT_EQ(a, b);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(a.next(), b.next());
}

TEST(Rng, NeighbouringAddressesStartDifferently) {
  std::set<std::uint64_t> first;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (std::uint64_t purpose = 1; purpose <= 8; ++purpose) {
      for (std::uint64_t index = 0; index < 100; ++index)
        first.insert(Rng::stream(seed, static_cast<Purpose>(purpose), index).next());
    }
  }
  EXPECT_EQ(first.size(), 10U * 8U * 100U);
}

TEST(Rng, ChangingOneBitOfTheAddressChangesHalfTheBitsDrawn) {
  // Sum of 64 fair bits, 3 * 64 * 50 times: the mean of the flipped bits has a deviation of 4 / sqrt(9600) = 0.041.
  double flipped = 0;
  int pairs = 0;
  for (std::uint64_t base = 0; base < 50; ++base) {
    const std::uint64_t draw = Rng::stream(base, Purpose::kTest, base).next();
    for (int bit = 0; bit < 64; ++bit) {
      const std::uint64_t mask = std::uint64_t{1} << bit;
      const auto purpose = static_cast<Purpose>(static_cast<std::uint64_t>(Purpose::kTest) ^ mask);
      flipped += std::popcount(draw ^ Rng::stream(base ^ mask, Purpose::kTest, base).next());
      flipped += std::popcount(draw ^ Rng::stream(base, Purpose::kTest, base ^ mask).next());
      flipped += std::popcount(draw ^ Rng::stream(base, purpose, base).next());
      pairs += 3;
    }
  }
  EXPECT_NEAR(flipped / pairs, 32, 5 * 0.041);
}

TEST(Purpose, CurvesOfEveryScenarioHaveStreamsOfTheirOwn) {
  EXPECT_EQ(static_cast<std::uint64_t>(curve_purpose(4)), 1004U);
  EXPECT_EQ(static_cast<std::uint64_t>(curve_purpose(17)), 1017U);
  std::set<std::uint64_t> first;
  for (std::uint64_t scenario = 0; scenario < 20; ++scenario)
    first.insert(Rng::stream(1, curve_purpose(scenario), 0).next());
  first.insert(Rng::stream(1, Purpose::kEvaluationEpisode, 0).next());
  EXPECT_EQ(first.size(), 21U);
}

TEST(Rng, NeighbouringStreamsAreUncorrelated) {
  // Correlation of n pairs of independent uniforms: deviation 1 / sqrt(n).
  constexpr int kCount = 100'000;
  double product = 0;
  for (int i = 0; i < kCount; ++i) {
    Rng a = test_stream(static_cast<std::uint64_t>(i)), b = test_stream(static_cast<std::uint64_t>(i) + 1);
    product += (a.uniform() - 0.5) * (b.uniform() - 0.5) * 12;
  }
  EXPECT_NEAR(product / kCount, 0, 5 / std::sqrt(kCount));
}

TEST(Rng, IntegersBelowNAreEquallyFrequent) {
  for (const std::uint64_t n : {1U, 2U, 3U, 7U, 8U, 100U}) {
    constexpr int kCount = 200'000;
    Rng rng = test_stream(n);
    std::vector<double> counts(n);
    for (int i = 0; i < kCount; ++i) ++counts.at(rng.below(n));
    double chi_squared = 0;
    const double expected = kCount / static_cast<double>(n);
    for (const double count : counts) chi_squared += (count - expected) * (count - expected) / expected;
    const double freedom = static_cast<double>(n) - 1;  // mean of chi squared; its variance is twice that
    EXPECT_LE(chi_squared, freedom + 5 * std::sqrt(2 * freedom)) << n;
  }
}

TEST(Rng, ARangeThatDoesNotDivideTwoToThe64IsNotBiased) {
  // Below 3 * 2^62 a plain multiplication would hit numbers of the form 3k twice as often as the others.
  constexpr std::uint64_t n = std::uint64_t{3} << 62;
  constexpr int kCount = 30'000;
  Rng rng = test_stream(1);
  int multiples = 0;
  for (int i = 0; i < kCount; ++i) multiples += rng.below(n) % 3 == 0 ? 1 : 0;
  EXPECT_NEAR(multiples, kCount / 3.0, 5 * std::sqrt(kCount * 2.0 / 9));
}

TEST(Rng, RefusesAnEmptyRange) {
  Rng rng = test_stream(2);
  EXPECT_THROW(rng.below(0), ContractViolation);
}

TEST(Rng, UniformsFillTheUnitIntervalEvenly) {
  constexpr int kCount = 100'000;
  Rng rng = test_stream(3);
  double sum = 0, sum_float = 0;
  for (int i = 0; i < kCount; ++i) {
    const double u = rng.uniform();
    const float f = rng.uniform_float();
    ASSERT_TRUE(u >= 0 && u < 1 && f >= 0 && f < 1);
    sum += u;
    sum_float += f;
  }
  const double tolerance = 5 * std::sqrt(1.0 / 12 / kCount);
  EXPECT_NEAR(sum / kCount, 0.5, tolerance);
  EXPECT_NEAR(sum_float / kCount, 0.5, tolerance);
}

TEST(Rng, NormalsHaveTheMomentsAndTailsOfTheNormalDistribution) {
  constexpr int kCount = 200'000;
  Rng rng = test_stream(4);
  double sum = 0, squares = 0, fourth = 0;
  int beyond_two = 0;
  for (int i = 0; i < kCount; ++i) {
    const double x = rng.normal();
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
    beyond_two += std::abs(x) > 2 ? 1 : 0;
  }
  EXPECT_NEAR(sum / kCount, 0, 5 * std::sqrt(1.0 / kCount));
  EXPECT_NEAR(squares / kCount, 1, 5 * std::sqrt(2.0 / kCount));
  EXPECT_NEAR(fourth / kCount, 3, 5 * std::sqrt(96.0 / kCount));
  const double p = std::erfc(2 / std::sqrt(2.0));
  EXPECT_NEAR(beyond_two, kCount * p, 5 * std::sqrt(kCount * p));
}

TEST(Rng, EveryOrderIsEquallyLikely) {
  constexpr int kCount = 60'000;
  std::array<int, 24> counts{};
  Rng rng = test_stream(5);
  for (int i = 0; i < kCount; ++i) {
    std::array<int, 4> order{};
    rng.permutation<int>(order);
    int rank = 0;  // Lehmer code
    for (std::size_t place = 0; place < 4; ++place) {
      int smaller = 0;
      for (std::size_t later = place + 1; later < 4; ++later) smaller += order[later] < order[place] ? 1 : 0;
      rank = rank * static_cast<int>(4 - place) + smaller;
    }
    ++counts.at(static_cast<std::size_t>(rank));
  }
  for (const int count : counts) EXPECT_NEAR(count, kCount / 24.0, 5 * std::sqrt(kCount / 24.0));
}

}  // namespace
}  // namespace schemamem
