#include "train/curriculum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "models/registry.h"
#include "task/address_value.h"
#include "task/mqar.h"
#include "train/recipe_file.h"
#include "train/sampler.h"

namespace schemamem {
namespace {

using testing::ElementsAre;

const AddressValueTask kTask({3, 3});

ModelTraits traits(std::string_view model) { return model_entry(model).value().traits; }
std::vector<Stage> stages_of(const Recipe& recipe, std::string_view model) {
  return make_curriculum(recipe, kTask, traits(model));
}
Curriculum curriculum_of(const Recipe& recipe, std::string_view model) { return {recipe, kTask, traits(model)}; }

std::vector<std::string> names(const std::vector<Stage>& stages) {
  std::vector<std::string> all;
  for (const Stage& stage : stages) all.push_back(stage.name);
  return all;
}
std::vector<double> thresholds(const std::vector<Stage>& stages) {
  std::vector<double> all;
  for (const Stage& stage : stages) all.push_back(stage.threshold);
  return all;
}

/// Steps until a check is due, then reports `score`.
void check_with(const Curriculum& curriculum, double score, Position& at) {
  do curriculum.after_step(at);
  while (!curriculum.check_due(at));
  curriculum.after_check(score, at);
}

TEST(Curriculum, SchemaMemLearnsFullHistoryFirstAndEndsAt95) {
  const auto stages = stages_of({}, "schemamem");
  EXPECT_THAT(names(stages), ElementsAre("history-quarter", "history-half", "history-full", "transactions-quarter",
                                         "transactions-half", "transactions-full", "maintenance-96", "maintenance-192",
                                         "maintenance-384"));
  EXPECT_THAT(thresholds(stages), ElementsAre(80, 80, 80, 80, 80, 95, 90, 90, 95));
  EXPECT_EQ(stages[0].checked_mode, Mode::kFullHistory);
  EXPECT_EQ(stages[3].checked_mode, Mode::kRecurrent);
}

TEST(Curriculum, BaselinesStartAtTransactionsAndEndAt99) {
  const auto stages = stages_of({}, "gdn");
  EXPECT_EQ(stages.front().name, "transactions-quarter");
  EXPECT_THAT(thresholds(stages), ElementsAre(80, 80, 99, 90, 90, 99));
  EXPECT_THAT(thresholds(stages_of({}, "mamba3")), ElementsAre(80, 80, 99, 90, 90, 99));
}

TEST(Curriculum, ChecksOfMaintenanceAreAtTheStagesDelayAndGrowWithTheSecondStage) {
  const auto stages = stages_of({}, "gdn");
  EXPECT_THAT(stages[3].checked,
              ElementsAre(episode_case(Scenario::kImmediate), episode_case(Scenario::kRetention, 96)));
  EXPECT_EQ(stages[4].checked.size(), 4U);
  EXPECT_THAT(stages[5].checked,
              ElementsAre(episode_case(Scenario::kImmediate), episode_case(Scenario::kRetention, 384),
                          episode_case(Scenario::kInterference, 384), episode_case(Scenario::kOverwrite, 384)));
}

TEST(Curriculum, AStageEndsAfterTwoConsecutiveChecksAtOrAboveItsThreshold) {
  const Curriculum curriculum = curriculum_of({}, "gdn");
  Position at;
  check_with(curriculum, 80, at);
  EXPECT_EQ(at.step, 250);
  EXPECT_EQ(at.passes, 1);
  check_with(curriculum, 79.99, at);
  EXPECT_EQ(at.passes, 0);
  check_with(curriculum, 80, at);
  EXPECT_EQ(at.stage, 0U);
  check_with(curriculum, 80, at);
  EXPECT_EQ(at.stage, 1U);
  EXPECT_EQ(at.stage_step, 0);
  EXPECT_EQ(at.step, 1000);
  EXPECT_FALSE(curriculum.check_due(at));
}

TEST(Curriculum, ARunThatReachesAStagesLimitGivesUp) {
  Recipe recipe;
  recipe.transactions.limit = 600;
  const Curriculum curriculum = curriculum_of(recipe, "gdn");
  Position at;
  check_with(curriculum, 0, at);
  check_with(curriculum, 0, at);
  EXPECT_FALSE(curriculum.ended(at));
  check_with(curriculum, 100, at);
  EXPECT_EQ(at.step, 600);
  EXPECT_TRUE(at.gave_up);
  EXPECT_TRUE(curriculum.ended(at));
}

TEST(Curriculum, PerfectScoresWalkThroughEveryStage) {
  for (const char* model : {"schemamem", "gdn"}) {
    const Curriculum curriculum = curriculum_of({}, model);
    Position at;
    while (!curriculum.ended(at)) check_with(curriculum, 100, at);
    EXPECT_FALSE(at.gave_up);
    EXPECT_EQ(at.step, static_cast<std::int64_t>(500 * curriculum.stages().size()));
  }
}

TEST(Curriculum, TheRateWarmsUpInMaintenanceAndFallsInTheCoolDown) {
  Recipe recipe;
  recipe.cooldown.steps = 100;
  const Curriculum curriculum = curriculum_of(recipe, "gdn");
  Position at;
  EXPECT_DOUBLE_EQ(curriculum.rate(at), 3e-4);
  while (curriculum.stage(at).phase != Phase::kMaintenance) check_with(curriculum, 100, at);
  EXPECT_EQ(at.phase_step, 0);
  EXPECT_DOUBLE_EQ(curriculum.rate(at), 1e-4 / 500);
  EXPECT_TRUE(curriculum.renews_optimizer(at));
  while (curriculum.stage(at).phase != Phase::kCooldown) {
    check_with(curriculum, 100, at);
    if (at.phase_step >= 500 && curriculum.stage(at).phase == Phase::kMaintenance) {
      EXPECT_DOUBLE_EQ(curriculum.rate(at), 1e-4);
      EXPECT_FALSE(curriculum.renews_optimizer(at));
    }
  }
  EXPECT_DOUBLE_EQ(curriculum.rate(at), 1e-4);
  for (int i = 0; i < 50; ++i) curriculum.after_step(at);
  EXPECT_DOUBLE_EQ(curriculum.rate(at), 0.5e-4);
  recipe.cooldown.power = 3;
  EXPECT_DOUBLE_EQ(curriculum_of(recipe, "gdn").rate(at), 0.125e-4);
  EXPECT_FALSE(curriculum.check_due(at));
  for (const double score : {99.0, 98.9}) {
    Position end = at;
    check_with(curriculum, score, end);
    EXPECT_TRUE(curriculum.ended(end));
    EXPECT_FALSE(end.gave_up);
    EXPECT_EQ(end.fell_back, score < 99) << score;
  }
}

TEST(Curriculum, CarriedStatesComeLastTakeTheirStepsAndGiveUpBelowTheTarget) {
  Recipe recipe;
  recipe.lanes.steps = 600;
  recipe.lanes.rate = 2e-3;
  recipe.lanes.warmup = 100;
  recipe.lanes.falling = 200;
  recipe.lanes.power = 0.5;
  recipe.lanes.stillness = 7;
  for (const char* model : {"schemamem", "mamba3", "gdn"}) {
    const Curriculum curriculum = curriculum_of(recipe, model);
    const Stage& lanes = curriculum.stages().back();
    EXPECT_EQ(lanes.name, "lanes");
    EXPECT_TRUE(lanes.fixed);
    EXPECT_EQ(lanes.checked.size(), curriculum.stages()[curriculum.stages().size() - 2].checked.size())
        << "judged by the paper's tasks";
    Position at{.step = 5000, .stage = curriculum.stages().size() - 1, .checked_at = 5000};
    EXPECT_EQ(curriculum.mode(at), Mode::kRecurrent);
    EXPECT_EQ(curriculum.stillness(at), 0);
    EXPECT_DOUBLE_EQ(curriculum.rate(at), 2e-5);
    at.stage_step = at.phase_step = 300;
    EXPECT_DOUBLE_EQ(curriculum.rate(at), 2e-3);
    EXPECT_EQ(curriculum.stillness(at), 0) << "until the rate falls";
    at.stage_step = at.phase_step = 550;
    EXPECT_DOUBLE_EQ(curriculum.rate(at), 1e-3);  // the root of a quarter
    EXPECT_DOUBLE_EQ(curriculum.stillness(at), 0.75 * 7);

    at.stage_step = at.phase_step = 0;
    check_with(curriculum, 100, at);
    check_with(curriculum, 100, at);
    EXPECT_FALSE(curriculum.ended(at)) << "two passes do not end it";
    Position worse = at;
    check_with(curriculum, 100, at);
    EXPECT_TRUE(curriculum.ended(at));
    EXPECT_FALSE(at.gave_up);
    EXPECT_EQ(at.step, 5600);
    check_with(curriculum, 90, worse);
    EXPECT_TRUE(worse.gave_up);
  }
}

TEST(Curriculum, FullHistoryAlternatesInTransactionsAndTakesEveryFourthBatchOfMaintenance) {
  Recipe recipe;
  recipe.cooldown.steps = 1000;
  recipe.cooldown.history_every = 10;
  const Curriculum curriculum = curriculum_of(recipe, "schemamem");
  Position at;
  EXPECT_EQ(curriculum.mode(at), Mode::kFullHistory);
  curriculum.after_step(at);
  EXPECT_EQ(curriculum.mode(at), Mode::kFullHistory);
  const auto share = [&](Phase phase) {
    while (curriculum.stage(at).phase != phase) check_with(curriculum, 100, at);
    EXPECT_EQ(curriculum.mode(at), Mode::kFullHistory);
    int history = 0;
    for (int i = 0; i < 100; ++i, curriculum.after_step(at)) history += curriculum.mode(at) == Mode::kFullHistory;
    return history;
  };
  EXPECT_EQ(share(Phase::kTransactions), 50);
  EXPECT_EQ(share(Phase::kMaintenance), 25);
  EXPECT_EQ(share(Phase::kCooldown), 10);
}

TEST(Curriculum, StillnessIsAskedOfRecurrentMaintenanceBatchesOnly) {
  Recipe recipe;
  recipe.stillness.weights = {1, 2, 3};
  const Curriculum curriculum = curriculum_of(recipe, "schemamem");
  Position at;
  while (curriculum.stage(at).phase != Phase::kMaintenance) {
    EXPECT_EQ(curriculum.stillness(at), 0);
    check_with(curriculum, 100, at);
  }
  EXPECT_EQ(curriculum.stillness(at), 0);
  curriculum.after_step(at);
  EXPECT_EQ(curriculum.stillness(at), 1);
}

TEST(Sampler, ThePaperDrawsOneCaseForABatchWithReachedDelays) {
  const Recipe recipe;
  const auto stages = stages_of(recipe, "gdn");
  std::set<std::size_t> delays;
  int immediate = 0;
  constexpr int kBatches = 2000;
  for (int step = 0; step < kBatches; ++step) {
    std::vector<EpisodeCase> cases(4);
    draw_cases(recipe, stages[4], 1, step, cases);
    EXPECT_EQ(cases, std::vector<EpisodeCase>(4, cases[0]));
    if (cases[0] == episode_case(Scenario::kImmediate)) {
      ++immediate;
    } else {
      delays.insert(cases[0].delay);
    }
  }
  EXPECT_THAT(delays, ElementsAre(0, 32, 96, 192));
  EXPECT_NEAR(immediate, 0.2 * kBatches, 4 * std::sqrt(0.16 * kBatches));
}

TEST(Sampler, TheFirstMaintenanceStageHasNoScenarioWithASecondWrite) {
  const Recipe recipe = resolve_recipe("fast")->recipe;
  const auto stages = stages_of(recipe, "gdn");
  std::vector<EpisodeCase> cases(2000);
  draw_cases(recipe, stages[3], 1, 0, cases);
  std::set<Scenario> scenarios;
  for (const EpisodeCase& one : cases) {
    scenarios.insert(static_cast<Scenario>(one.scenario));
    EXPECT_LE(one.delay, 96U);
  }
  EXPECT_THAT(scenarios, ElementsAre(Scenario::kImmediate, Scenario::kRetention));
}

TEST(Sampler, OursMixesScenariosAndNeverExceedsTheStagesDelay) {
  for (const char* delays : {"maintenance.delays=uniform", "maintenance.delays=log-uniform"}) {
    const std::vector<std::string> overrides{delays};
    const Recipe recipe = resolve_recipe("fast", overrides)->recipe;
    const auto stages = stages_of(recipe, "gdn");
    std::vector<EpisodeCase> cases(5000), again(5000);
    draw_cases(recipe, stages[5], 1, 9, cases);
    draw_cases(recipe, stages[5], 1, 9, again);
    EXPECT_EQ(cases, again);
    std::set<std::size_t> seen;
    for (const EpisodeCase& one : cases) {
      EXPECT_TRUE(kTask.check(one));
      EXPECT_LE(one.delay, 384U);
      seen.insert(one.delay);
    }
    EXPECT_TRUE(seen.contains(0));
    EXPECT_GT(*seen.rbegin(), 375U) << delays;
  }
}

const MqarTask kLevels({.vocabulary = 64, .length = 32, .pairs = 8});

TEST(Curriculum, ATaskOfLevelsHasAStageForEachWhateverTheModel) {
  Recipe recipe;
  recipe.levels.threshold = 97;
  recipe.levels.limit = 123;
  recipe.cooldown.steps = 10;
  for (const char* model : {"schemamem", "gdn", "mamba3"}) {
    const auto stages = make_curriculum(recipe, kLevels, traits(model));
    EXPECT_THAT(names(stages), ElementsAre("level-1", "level-2", "level-3", "cooldown"));
    EXPECT_THAT(thresholds(stages), ElementsAre(97, 97, 97, 97));
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(stages[i].phase, Phase::kLevels);
      EXPECT_EQ(stages[i].checked, kLevels.levels()[i]);
      EXPECT_EQ(stages[i].checked_mode, Mode::kRecurrent);
      EXPECT_EQ(stages[i].limit, 123);
    }
    EXPECT_EQ(stages[3].phase, Phase::kCooldown);
    EXPECT_TRUE(stages[3].of_levels);
    EXPECT_EQ(stages[3].limit, 10);
  }
}

TEST(Curriculum, LevelsHaveTheirOwnRateWarmUpStillnessAndHistory) {
  Recipe recipe;
  recipe.levels.rate = 4e-3;
  recipe.levels.warmup = 500;
  recipe.levels.history_every = 5;
  recipe.stillness.levels = 7;
  recipe.cooldown.steps = 100;
  recipe.validation.passes = 1;
  const Curriculum curriculum(recipe, kLevels, traits("schemamem"));
  Position at;
  EXPECT_TRUE(curriculum.renews_optimizer(at));
  EXPECT_DOUBLE_EQ(curriculum.rate(at), 4e-3 / 500);
  EXPECT_EQ(curriculum.mode(at), Mode::kFullHistory);
  EXPECT_EQ(curriculum.stillness(at), 0);
  curriculum.after_step(at);
  EXPECT_EQ(curriculum.mode(at), Mode::kRecurrent);
  EXPECT_EQ(curriculum.stillness(at), 7);
  while (at.stage == 0) check_with(curriculum, 100, at);
  EXPECT_DOUBLE_EQ(curriculum.rate(at), 4e-3 * 251 / 500) << "one warm-up for all levels";
  while (curriculum.stage(at).phase != Phase::kCooldown) check_with(curriculum, 100, at);
  EXPECT_DOUBLE_EQ(curriculum.rate(at), 4e-3);
  for (int i = 0; i < 51; ++i) curriculum.after_step(at);
  EXPECT_DOUBLE_EQ(curriculum.rate(at), 4e-3 * 49 / 100);
  EXPECT_EQ(curriculum.stillness(at), 7);
  EXPECT_EQ(Curriculum(recipe, kLevels, traits("gdn")).mode({}), Mode::kRecurrent) << "it knows no other mode";
}

TEST(Sampler, ALevelDrawsEachEpisodesCaseFromItsList) {
  const auto stages = make_curriculum({}, kLevels, traits("gdn"));
  std::vector<EpisodeCase> cases(3000), again(3000), other(3000);
  draw_cases({}, stages[2], 1, 9, cases);
  draw_cases({}, stages[2], 1, 9, again);
  draw_cases({}, stages[2], 1, 10, other);
  EXPECT_EQ(cases, again);
  EXPECT_NE(cases, other);
  for (const EpisodeCase& one : stages[2].checked)
    EXPECT_NEAR(static_cast<double>(std::count(cases.begin(), cases.end(), one)), 1000, 5 * std::sqrt(3000 * 2.0 / 9));
  draw_cases({}, stages[0], 1, 9, cases);
  EXPECT_EQ(cases, std::vector<EpisodeCase>(3000, mqar_case(2, 32)));
}

}  // namespace
}  // namespace schemamem
