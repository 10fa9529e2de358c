#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <schemamem/schemamem.h>

#include <array>

#include "api/models.h"

namespace schemamem {
namespace {

using testing::HasSubstr;

/// Shows one of four lights, then darkness; asks for the light at the end, and whether there was one at all on the way.
struct Recall final : Task {
  TaskShape shape() const override {
    return {.inputs = 4, .classes = 4, .longest = 6, .chunks = 2, .groups = {"light", "first"}};
  }
  void episode(Rng& rng, EpisodeWriter& out) const override {
    const auto light = static_cast<std::size_t>(rng.below(4));
    std::array<float, 4> row{};
    row[light] = 1;
    out.row(row);
    out.target(light, 2.F, "first");
    row = {};
    const std::size_t length = 4 + static_cast<std::size_t>(rng.below(3));
    for (std::size_t t = 1; t < length; ++t) out.row(row, t == 1 ? Mark::kEndsChunkReads : Mark::kReads);
    out.target(light);
  }
  std::string name() const override { return "recall"; }
};

/// The next symbol is the answer to this one, as two bits.
struct Successor final : Task {
  TaskShape shape() const override { return {.symbols = 4, .bits = 2, .longest = 5}; }
  void episode(Rng& rng, EpisodeWriter& out) const override {
    for (int t = 0; t < 5; ++t) {
      const auto symbol = static_cast<std::size_t>(rng.below(4));
      out.symbol(symbol);
      out.target((symbol + 1) % 4);
    }
  }
};

const Options kSmall{{"slots", 8}, {"width", 32}, {"layers", 1}};
const Options kShort{{"validation.every", 25}, {"validation.episodes", 32}, {"cooldown.steps", 0},
                     {"batch.episodes", 16},   {"levels.warmup", 10},       {"levels.limit", 400}};

TEST(Trainer, LearnsATaskOfOnesOwn) {
  Trainer trainer({.model = "schemamem", .options = kSmall}, Recall{}, {.threads = 2, .overrides = kShort});
  while (!trainer.done()) ASSERT_TRUE(trainer.step());
  EXPECT_TRUE(trainer.passed()) << trainer.loss() << " " << trainer.last_check().lowest();
  ASSERT_EQ(trainer.last_check().cells.size(), 2U);
  EXPECT_EQ(trainer.last_check().cells[1].group, "first");
  EXPECT_EQ(trainer.stage(), "");
  const Model model = trainer.model();
  EXPECT_EQ(model.notes().at("task"), "recall");
  EXPECT_THAT(model.options(), testing::Contains(Option("slots", 8)));
  const auto scores = evaluate(*Model::from_bytes(model.bytes()), Recall{}, {.episodes = 64});
  ASSERT_TRUE(scores) << scores.error().message();
  EXPECT_GT(scores->lowest(), 95.0);
  EXPECT_EQ(scores->cells[0].asked, 64);
}

TEST(Trainer, TakesSymbolsAndBits) {
  Trainer trainer({.model = "gdn", .options = {{"layers", 1}}}, Successor{}, {.overrides = kShort});
  while (!trainer.done()) ASSERT_TRUE(trainer.step());
  EXPECT_TRUE(trainer.passed());
}

TEST(Trainer, EndsWithTheSameBitsForAnyNumberOfThreads) {
  const auto weights_with = [](int threads) {
    Trainer trainer({.options = kSmall}, Recall{}, {.seed = 7, .threads = threads, .overrides = kShort});
    for (int i = 0; i < 5; ++i) trainer.step();
    return trainer.model().fingerprint();
  };
  EXPECT_EQ(weights_with(1), weights_with(3));
}

TEST(Trainer, StopsAtTheLimitOfItsRecipe) {
  Options overrides = kShort;
  overrides.emplace_back("levels.limit", 3);
  overrides.emplace_back("levels.threshold", 100);
  Trainer trainer({.options = kSmall}, Recall{}, {.overrides = overrides});
  while (!trainer.done()) trainer.step();
  EXPECT_FALSE(trainer.passed());
  EXPECT_EQ(trainer.steps(), 3);
  EXPECT_TRUE(trainer.step()) << "behind the end nothing happens";
  EXPECT_EQ(trainer.steps(), 3);
}

TEST(Trainer, KnowsTheTasksOfTheLibrary) {
  Trainer trainer({.model = "mamba3"}, NamedTask{"address-value", "A3V3"}, {.overrides = {{"batch.episodes", 2}}});
  ASSERT_TRUE(trainer.step());
  EXPECT_EQ(trainer.stage(), "transactions-quarter");
  EXPECT_EQ(trainer.model().notes().at("setting"), "A3V3");
}

std::string refusal(const ModelChoice& model, const TrainOptions& options) {
  try {
    Trainer trainer(model, Recall{}, options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Trainer, SaysWhatIsWrongWithItsArguments) {
  EXPECT_THAT(refusal({.model = "schemamen"}, {}), HasSubstr("schemamem"));
  EXPECT_THAT(refusal({.options = {{"slot", 64}}}, {}), HasSubstr("slots"));
  EXPECT_THAT(refusal({.options = {{"slots", -1}}}, {}), HasSubstr("slots"));
  EXPECT_THAT(refusal({}, {.recipe = "fats"}), HasSubstr("fast"));
  EXPECT_THAT(refusal({}, {.overrides = {{"levels.limt", 1}}}), HasSubstr("levels.limit"));
}

TEST(Evaluate, ScoresAPublishedModelOnItsOwnTask) {
  const auto scores = evaluate(published_model("A3V3"), {.episodes = 4, .threads = 1});
  ASSERT_TRUE(scores) << scores.error().message();
  EXPECT_EQ(scores->cells.front().scenario, "immediate");
  EXPECT_EQ(scores->cells.back().scenario, "overwrite");
  EXPECT_EQ(scores->cells.back().delay, 384U);
  EXPECT_GT(scores->lowest(), 90.0);
}

TEST(Evaluate, RefusesATaskOfAnotherShape) {
  const auto scores = evaluate(published_model("A3V3"), Recall{});
  ASSERT_FALSE(scores);
  EXPECT_EQ(scores.error().kind(), ErrorKind::kUsage);
  EXPECT_THAT(scores.error().message(), HasSubstr("4 numbers in and 4 out"));
}

TEST(WriteEpisode, ShowsRowsMarksTargetsWeightsAndGroups) {
  Rng rng(3), same(3);
  const Episode episode = write_episode(Recall{}, rng);
  ASSERT_GE(episode.length(), 4U);
  EXPECT_EQ(episode.rows.size(), 4 * episode.length());
  EXPECT_EQ(episode.marks[1], Mark::kEndsChunkReads);
  EXPECT_EQ(episode.targets.front(), episode.targets.back());
  EXPECT_EQ(episode.targets[1], -1);
  EXPECT_EQ(episode.weights.front(), 2.F);
  EXPECT_EQ(episode.groups.front(), 1);
  EXPECT_EQ(episode.groups.back(), 0);
  EXPECT_EQ(write_episode(Recall{}, same).rows, episode.rows);
}

/// A task that writes what it is told to.
struct Odd final : Task {
  TaskShape wanted;
  void (*write)(EpisodeWriter&) = [](EpisodeWriter&) {};
  TaskShape shape() const override { return wanted; }
  void episode(Rng&, EpisodeWriter& out) const override { write(out); }
};

TEST(EpisodeWriter, RefusesWhatTheShapeDoesNotHave) {
  const auto writing = [](void (*write)(EpisodeWriter&)) {
    Odd task;
    task.wanted = {.inputs = 2, .classes = 3, .longest = 2, .chunks = 1};
    task.write = write;
    Rng rng(1);
    return write_episode(task, rng);
  };
  static constexpr std::array<float, 2> row{};
  EXPECT_THROW(writing([](EpisodeWriter& out) { out.row(std::array<float, 3>{}); }), std::invalid_argument);
  EXPECT_THROW(writing([](EpisodeWriter& out) { out.symbol(0); }), std::invalid_argument);
  EXPECT_THROW(writing([](EpisodeWriter& out) { out.target(0); }), std::invalid_argument);
  EXPECT_THROW(writing([](EpisodeWriter& out) { out.row(row), out.target(3); }), std::invalid_argument);
  EXPECT_THROW(writing([](EpisodeWriter& out) { out.row(row), out.target(0, 0.F); }), std::invalid_argument);
  EXPECT_THROW(writing([](EpisodeWriter& out) { out.row(row), out.target(0, 1.F, "none"); }), std::invalid_argument);
  EXPECT_THROW(writing([](EpisodeWriter& out) { out.row(row), out.row(row, Mark::kEndsChunk); }),
               std::invalid_argument);
  EXPECT_THROW(writing([](EpisodeWriter& out) { out.row(row), out.row(row), out.row(row); }), std::invalid_argument);
  EXPECT_EQ(writing([](EpisodeWriter& out) { out.row(row), out.row(row), out.target(2); }).length(), 2U);
}

TEST(TaskShape, SaysOneThingInAndOneOut) {
  Rng rng(1);
  for (const TaskShape& shape : {TaskShape{}, TaskShape{.inputs = 1, .symbols = 1, .classes = 2, .longest = 1},
                                 TaskShape{.inputs = 1, .classes = 2, .bits = 1, .longest = 1},
                                 TaskShape{.inputs = 1, .classes = 2}, TaskShape{.inputs = 1, .bits = 31, .longest = 1},
                                 TaskShape{.inputs = 1, .classes = 2, .longest = 1, .groups = {}}}) {
    Odd task;
    task.wanted = shape;
    EXPECT_THROW(write_episode(task, rng), std::invalid_argument);
  }
}

TEST(Rng, ShufflesAndRepeats) {
  Rng rng(1), same = rng;
  std::array<int, 5> values{0, 1, 2, 3, 4}, again = values;
  rng.shuffle(std::span<int>(values));
  same.shuffle(std::span<int>(again));
  EXPECT_EQ(values, again);
  EXPECT_THAT(values, testing::UnorderedElementsAre(0, 1, 2, 3, 4));
  EXPECT_LT(rng.uniform(), 1.0);
  EXPECT_THROW(rng.below(0), std::logic_error);
}

}  // namespace
}  // namespace schemamem
