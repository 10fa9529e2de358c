#include "train/lanes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "support/tiny_training.h"
#include "task/batch.h"

namespace schemamem {
namespace {

using test::tiny_model;
using test::tiny_setup;

struct LanesTest : testing::Test {
  static constexpr std::size_t kTokens = 20;

  Recipe recipe = tiny_setup({"lanes.steps=100", "lanes.count=3", "lanes.tokens=20", "lanes.restart=0.2"}).recipe;
  std::shared_ptr<const Task> task = test::TinyTask{}.make();
  std::unique_ptr<SequenceModel<float>> model = tiny_model();
  Batch batch{task->shape(), 1, kTokens};

  Lanes lanes(std::uint64_t seed = 5) const { return {recipe, *task, *model, seed}; }
  /// The piece of a lane at a step, as numbers.
  std::vector<float> piece(Lanes& lanes, std::int64_t step, std::size_t lane) {
    lanes.seek(step);
    const EpisodeRows rows = batch.all().slice(0, kTokens);
    lanes.fill(lane, rows);
    const float* const first = &rows.inputs(0, 0);
    return {first, first + rows.inputs.extent(0) * rows.inputs.extent(1)};
  }
};

TEST_F(LanesTest, WhatAStepReadsIsTheSameFromWhereverItIsReached) {
  Lanes walked = lanes();
  for (std::int64_t step = 0; step < 40; ++step) {
    for (std::size_t lane = 0; lane < walked.count(); ++lane) {
      Lanes there = lanes(), again = lanes();
      const std::vector<float> found = piece(walked, step, lane);
      ASSERT_EQ(found, piece(there, step, lane)) << step;
      piece(again, 39, lane);
      ASSERT_EQ(found, piece(again, step, lane)) << step;
    }
  }
}

TEST_F(LanesTest, LanesAndSeedsAreDifferentStreams) {
  std::set<std::vector<float>> seen;
  for (const std::uint64_t seed : {5, 6}) {
    Lanes some = lanes(seed);
    for (std::size_t lane = 0; lane < some.count(); ++lane) seen.insert(piece(some, 7, lane));
  }
  EXPECT_EQ(seen.size(), 6U);
}

TEST_F(LanesTest, ALaneGoesOnFromItsStateUntilItBeginsAnewWithTheEmptyMemory) {
  Lanes some = lanes();
  int begun = 0, gone_on = 0;
  for (std::int64_t step = 0; step < 60; ++step) {
    some.seek(step);
    for (std::size_t lane = 0; lane < some.count(); ++lane) {
      if (some.age(lane) == 0) {
        EXPECT_TRUE(some.before(lane).empty());
        ++begun;
      } else {
        EXPECT_EQ(some.before(lane).front(), static_cast<float>(100 * (step - 1) + static_cast<std::int64_t>(lane)));
        ++gone_on;
      }
      some.behind(lane).front() = static_cast<float>(100 * step + static_cast<std::int64_t>(lane));
    }
    some.keep();
  }
  EXPECT_GT(begun, 3 + 10);  // a fifth of 180, and the three of the beginning
  EXPECT_GT(gone_on, 100);
}

TEST_F(LanesTest, WhatWasNotKeptIsForgotten) {
  Lanes some = lanes();
  some.seek(0);
  some.behind(0).front() = 3;
  EXPECT_EQ(some.states().front(), 0);
  some.keep();
  EXPECT_EQ(some.states().front(), 3);
}

TEST_F(LanesTest, RecipesThatDoNotFitAreRefusedWithASentence) {
  const auto message = [&](std::vector<std::string> overrides, const test::TinyTask& of = {}) {
    overrides.insert(overrides.begin(), "lanes.steps=10");
    const Status status = Lanes::check(tiny_setup(overrides).recipe, *of.make());
    return status ? std::string("fits") : status.error().message();
  };
  EXPECT_THAT(message({"lanes.count=5"}), "fits");
  EXPECT_THAT(message({"lanes.count=6"}), testing::HasSubstr("lanes.count is 6, more than the 5 episodes"));
  EXPECT_THAT(message({"lanes.count=2", "lanes.writes=[3,2]"}), testing::HasSubstr("lanes.writes is [3, 2]"));
  EXPECT_THAT(message({"lanes.count=2"}, test::kTinyRecall), testing::HasSubstr("mqar has no endless streams"));
}

}  // namespace
}  // namespace schemamem
