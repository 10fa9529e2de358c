#include "report/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace schemamem {
namespace {

TEST(Summarise, TakesTheSampleStandardDeviation) {
  const std::vector<double> values{1, 2, 6};
  const auto summary = summarise(values);
  ASSERT_TRUE(summary);
  EXPECT_DOUBLE_EQ(summary->mean, 3);
  EXPECT_DOUBLE_EQ(*summary->sd, std::sqrt(7.0));  // (4 + 1 + 9) / (3 - 1)
}

TEST(Summarise, KnowsNoSpreadOfOneValueAndNothingOfNone) {
  EXPECT_FALSE(summarise(std::vector{5.0})->sd);
  EXPECT_FALSE(summarise(std::vector<double>{}));
}

EvaluationCell cell_of(std::vector<std::int64_t> right_by_episode, std::int64_t asked) {
  EvaluationCell cell;
  cell.asked = asked;
  cell.right_by_episode = std::move(right_by_episode);
  for (const std::int64_t right : cell.right_by_episode) cell.right += right;
  return cell;
}

TEST(Bootstrap, OfEqualEpisodesIsAPoint) {
  const EvaluationCell cell = cell_of({3, 3, 3, 3}, 16);
  const auto interval = bootstrap(std::vector<SeedValue>{{.exact = cell.exact_percent(), .cell = &cell}});
  ASSERT_TRUE(interval);
  EXPECT_DOUBLE_EQ(interval->low, 75);
  EXPECT_DOUBLE_EQ(interval->high, 75);
}

TEST(Bootstrap, IsAsWideAsTheBinomialAndTheSameEveryTime) {
  // 400 episodes of one question, half of them right: the standard error is 2.5 points.
  std::vector<std::int64_t> right(400);
  for (std::size_t i = 0; i < right.size(); ++i) right[i] = static_cast<std::int64_t>(i % 2);
  const EvaluationCell cell = cell_of(right, 400);
  const std::vector<SeedValue> values{{.exact = 50, .cell = &cell}};
  const auto interval = bootstrap(values);
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low, 50 - 1.96 * 2.5, 0.5);
  EXPECT_NEAR(interval->high, 50 + 1.96 * 2.5, 0.5);
  EXPECT_EQ(interval->low, bootstrap(values)->low);
}

TEST(Bootstrap, DrawsTheSameEpisodesForAllSeeds) {
  // What one seed gets right the other gets wrong: on any episodes, the mean is one half.
  const EvaluationCell one = cell_of({1, 0, 1, 0}, 4), other = cell_of({0, 1, 0, 1}, 4);
  const auto interval = bootstrap(std::vector<SeedValue>{{.cell = &one}, {.cell = &other}});
  EXPECT_DOUBLE_EQ(interval->low, 50);
  EXPECT_DOUBLE_EQ(interval->high, 50);
}

TEST(Bootstrap, NeedsCountsByEpisode) {
  const EvaluationCell bare = cell_of({}, 16), short_one = cell_of({1, 1}, 2), long_one = cell_of({1, 1, 1}, 3);
  EXPECT_FALSE(bootstrap({}));
  EXPECT_FALSE(bootstrap(std::vector<SeedValue>{{.cell = &bare}}));
  EXPECT_FALSE(bootstrap(std::vector<SeedValue>{{.cell = &short_one}, {.cell = &long_one}}));
}

TEST(HalfLife, LiesOnAStraightLineOverTheLogarithmOfTheDelay) {
  const std::vector<CurvePoint> curve{{96, 100}, {384, 100}, {1536, 0}};
  const auto found = half_life(curve);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->beyond);
  EXPECT_NEAR(found->delay, 768, 1e-9);
}

TEST(HalfLife, IsHalfOfTheAccuracyAtTheShortestDelay) {
  EXPECT_NEAR(half_life(std::vector<CurvePoint>{{100, 80}, {1000, 40}, {10000, 0}})->delay, 1000, 1e-9);
}

TEST(HalfLife, OfACurveThatStaysAboveIsBeyondItsEnd) {
  const auto found = half_life(std::vector<CurvePoint>{{96, 100}, {1536, 50.1}});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->beyond);
  EXPECT_EQ(found->delay, 1536);
}

TEST(HalfLife, NeedsACurve) {
  EXPECT_FALSE(half_life(std::vector<CurvePoint>{{96, 100}}));
  EXPECT_FALSE(half_life(std::vector<CurvePoint>{{96, 0}, {192, 0}}));
}

}  // namespace
}  // namespace schemamem
