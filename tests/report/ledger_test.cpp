#include "report/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/tensor_files.h"
#include "support/made_runs.h"

namespace schemamem {
namespace {

using test::made_record;
using test::MadeRun;
using test::write_bare_run;
using test::write_run;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Result<Ledger> read(const std::vector<std::filesystem::path>& paths) { return Ledger::read(paths); }

std::vector<double> exact(const std::vector<SeedValue>& values) {
  std::vector<double> result;
  for (const SeedValue& value : values) result.push_back(value.exact);
  return result;
}

MadeRun falling(std::uint64_t seed, int at_384, int at_1536) {
  MadeRun run{.seed = seed};
  run.per_mille = [=](const std::string&, std::int64_t delay, const std::string&, bool ablated) {
    return ablated ? 3 : delay > 384 ? at_1536 : at_384;
  };
  return run;
}

Query updated() {
  return {.recipe = "fast",
          .model = "schemamem",
          .setting = "A3V3",
          .scenario = "overwrite",
          .group = "updated",
          .delay = 1536,
          .eval_seed = kPaperEvaluationSeed};
}

TEST(Ledger, HasTheValueOfEverySeedInTheirOrder) {
  const TemporaryFolder folder;
  write_run(folder.path(), falling(44, 990, 600));
  write_run(folder.path(), falling(42, 950, 700));
  const auto ledger = read({folder.path()});
  ASSERT_TRUE(ledger) << ledger.error().message();
  EXPECT_THAT(exact(ledger->values(updated())), ElementsAre(70.0, 60.0));
  EXPECT_THAT(exact(ledger->values(updated().in_mode("ablated"))), ElementsAre(0.3, 0.3));
  EXPECT_THAT(ledger->delays(updated()), ElementsAre(96, 192, 384, 768, 1536));
  EXPECT_EQ(ledger->values(updated()).front().run->seed, 42U);
}

TEST(Ledger, TakesADropWithinItsSeed) {
  const TemporaryFolder folder;
  write_run(folder.path(), falling(42, 950, 700));
  write_run(folder.path(), falling(43, 990, 600));
  write_bare_run(folder.path(), falling(44, 0, 0));
  const auto ledger = read({folder.path()});
  ASSERT_TRUE(ledger) << ledger.error().message();
  EXPECT_THAT(exact(ledger->drops(updated(), 384, 1536)), ElementsAre(25.0, 39.0));
}

TEST(Ledger, KnowsHowARunEnded) {
  const TemporaryFolder folder;
  write_bare_run(folder.path(), {.seed = 42, .status = "step-limit", .tx_steps = 500, .maint_steps = 250});
  write_bare_run(folder.path(), {.seed = 43, .status = ""});
  const auto ledger = read({folder.path()});
  ASSERT_TRUE(ledger) << ledger.error().message();
  const LedgerRun& capped = ledger->runs().at(0);
  EXPECT_TRUE(capped.capped());
  EXPECT_EQ(capped.end->steps, 750);
  EXPECT_EQ(capped.end->tx_steps, 500);
  EXPECT_EQ(capped.end->maint_steps, 250);
  EXPECT_EQ(capped.persistent_elements, 16896);
  EXPECT_EQ(capped.facts.at("cpu"), "a processor");
  EXPECT_FALSE(ledger->runs().at(1).end);
}

TEST(Ledger, TakesRunFoldersAndFoldersOfRunsAndCountsARunOnce) {
  const TemporaryFolder folder;
  const auto run = write_run(folder.path(), {});
  const auto ledger = read({folder.path(), run, run / "."});
  ASSERT_TRUE(ledger) << ledger.error().message();
  EXPECT_EQ(ledger->runs().size(), 1U);
}

TEST(Ledger, PrefersTheRecordWithMoreEpisodes) {
  const TemporaryFolder folder;
  const auto path = write_run(folder.path(), falling(42, 950, 700));
  MadeRun longer = falling(42, 950, 710);
  longer.episodes = 16;
  test::add_record(path, made_record(longer, false, kPaperEvaluationSeed));
  const auto ledger = read({path});
  ASSERT_TRUE(ledger) << ledger.error().message();
  EXPECT_THAT(exact(ledger->values(updated())), ElementsAre(71.0));
}

TEST(Ledger, KeepsEvaluationSeedsAndKindsApart) {
  const TemporaryFolder folder;
  const auto path = write_run(folder.path(), falling(42, 950, 700));
  test::add_record(path, made_record(falling(42, 0, 690), false, kUnseenEvaluationSeed));
  test::add_record(path, made_record(falling(42, 0, 680), false, kPaperEvaluationSeed, "curve"));
  const auto ledger = read({path});
  ASSERT_TRUE(ledger) << ledger.error().message();
  Query query = updated();
  EXPECT_THAT(exact(ledger->values(query)), ElementsAre(70.0));
  query.eval_seed = kUnseenEvaluationSeed;
  EXPECT_THAT(exact(ledger->values(query)), ElementsAre(69.0));
  query.kind = "curve";
  EXPECT_THAT(exact(ledger->values(query)), IsEmpty());
}

TEST(Ledger, RefusesTwoRunsOfOneCellAndNamesBoth) {
  const TemporaryFolder folder;
  const auto one = write_run(folder.path(), {.hash = "aaaaaaaa"});
  const auto two = write_run(folder.path(), {.hash = "bbbbbbbb"});
  const auto ledger = read({folder.path()});
  ASSERT_FALSE(ledger);
  EXPECT_EQ(ledger.error().kind(), ErrorKind::kBadData);
  EXPECT_THAT(ledger.error().message(), AllOf(HasSubstr(one.string()), HasSubstr(two.string()), HasSubstr("seed 42")));
}

TEST(Ledger, RefusesRecipesOfOneNameThatDifferInAValue) {
  const TemporaryFolder folder;
  write_run(folder.path(), {.seed = 42, .clip = "1.0"});
  write_run(folder.path(), {.seed = 43, .clip = "0.5"});
  const auto ledger = read({folder.path()});
  ASSERT_FALSE(ledger);
  EXPECT_THAT(ledger.error().message(), HasSubstr("optimizer.clip is 1.0 and 0.5"));
}

TEST(Ledger, RefusesARecordOfAnotherRun) {
  const TemporaryFolder folder;
  const auto path = write_run(folder.path(), {.hash = "aaaaaaaa"});
  test::add_record(path, made_record({.hash = "bbbbbbbb"}, false, kPaperEvaluationSeed));
  const auto ledger = read({path});
  ASSERT_FALSE(ledger);
  EXPECT_THAT(ledger.error().message(), AllOf(HasSubstr("bbbbbbbb"), HasSubstr("schemamem eval")));
}

TEST(Ledger, RefusesARecordOfOtherWeightsThanThoseBesideIt) {
  const TemporaryFolder folder;
  const auto path = write_run(folder.path(), {});
  const std::vector<float> weights{1, 2, 3};
  const std::vector<NamedTensor> tensors{named_tensor<float>("w", {3}, weights)};
  ASSERT_TRUE(save_tensors(path / "model.safetensors", tensors));
  const auto ledger = read({path});
  ASSERT_FALSE(ledger);
  EXPECT_EQ(ledger.error().kind(), ErrorKind::kBadData);
  EXPECT_THAT(ledger.error().message(), AllOf(HasSubstr("stale"), HasSubstr(std::string(64, 'a').substr(0, 4)),
                                              HasSubstr("model.safetensors"), HasSubstr("schemamem eval")));

  EvaluationRecord record = made_record({}, false, kPaperEvaluationSeed);
  record.checkpoint.sha256 = tensor_file_sha256(path / "model.safetensors").value();
  std::filesystem::remove_all(path / "evaluations");
  test::add_record(path, record);
  EXPECT_TRUE(read({path}));
}

TEST(Ledger, ACircleOfLinksIsAMissingInputAndNoSurprise) {
  const TemporaryFolder folder;
  const auto path = write_run(folder.path(), {});
  for (const char* name : {"result.json", "run.json", "evaluations"}) {
    std::filesystem::rename(path / name, folder / "kept");
    std::filesystem::create_symlink(name, path / name);
    const auto ledger = read({path});
    ASSERT_FALSE(ledger) << name;
    EXPECT_EQ(ledger.error().kind(), ErrorKind::kMissingInput) << ledger.error().message();
    EXPECT_THAT(ledger.error().message(), HasSubstr(name));
    std::filesystem::remove(path / name);
    std::filesystem::rename(folder / "kept", path / name);
  }
  std::filesystem::create_symlink("circle", folder / "circle");
  EXPECT_EQ(read({folder / "circle"}).error().kind(), ErrorKind::kMissingInput);
}

TEST(Ledger, SaysWhatIsNoRunAndWhatIsDamaged) {
  const TemporaryFolder folder;
  EXPECT_EQ(read({folder / "nowhere"}).error().kind(), ErrorKind::kMissingInput);
  const auto nothing = read({folder.path()});
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().kind(), ErrorKind::kMissingInput);
  EXPECT_THAT(nothing.error().message(), HasSubstr("run.json"));
  test::write_text(folder / "damaged/run.json", "{\"model\": 3}");
  const auto damaged = read({folder.path()});
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().kind(), ErrorKind::kBadData);
}

TEST(Ledger, OptionsOfAModelArePartOfItsRecipeAndNeverMixed) {
  const TemporaryFolder folder;
  const auto is_option = [](std::string_view model, std::string_view field) {
    return model == "schemamem" && field == "commit";
  };
  const auto read_with_options = [&] { return Ledger::read(std::vector{folder.path()}, {}, is_option); };
  write_run(folder.path(), {.hash = "11111111", .set = {{"commit", "pull"}}});
  write_run(folder.path(), {.seed = 43, .hash = "22222222", .set = {{"commit", "pull"}}});
  write_run(folder.path(), {.model = "gdn", .hash = "33333333"});
  const auto ledger = read_with_options();
  ASSERT_TRUE(ledger) << ledger.error().message();
  EXPECT_EQ(ledger->runs().size(), 3U);
  EXPECT_EQ(ledger->recipe_text("fast"), "fast (schemamem:commit=pull)");
  EXPECT_EQ(read({folder.path()})->others().size(), 2U) << "nobody said that it is an option";

  write_run(folder.path(), {.seed = 44, .hash = "44444444"});
  const auto mixed = read_with_options();
  ASSERT_FALSE(mixed);
  EXPECT_EQ(mixed.error().kind(), ErrorKind::kBadData);
  EXPECT_THAT(mixed.error().message(), AllOf(HasSubstr("schemamem:commit=pull"), HasSubstr("never mixed")));

  const TemporaryFolder hostile;
  write_run(hostile.path(), {.set = {{"commit", "<b>pull"}}});
  EXPECT_EQ(Ledger::read(std::vector{hostile.path()}, {}, is_option).error().kind(), ErrorKind::kBadData);
}

TEST(Ledger, KeepsModelsInTheOrderItIsGivenAndOthersBehindThemByName) {
  const TemporaryFolder folder;
  for (const char* model : {"b", "d", "a", "c"}) write_bare_run(folder.path(), {.model = model});
  const auto ledger = Ledger::read(std::vector{folder.path()}, {"d", "c"});
  ASSERT_TRUE(ledger) << ledger.error().message();
  std::vector<std::string> models;
  for (const LedgerRun& run : ledger->runs()) models.push_back(run.model);
  EXPECT_THAT(models, ElementsAre("d", "c", "a", "b"));
}

TEST(Ledger, KnowsTheSeedsOfItsEvaluationEpisodes) {
  const TemporaryFolder folder;
  const auto path = write_run(folder.path(), {});
  test::add_record(path, made_record({}, false, 7));
  EXPECT_THAT(read({path})->eval_seeds(), ElementsAre(7, kPaperEvaluationSeed));
}

TEST(ChooseRecipe, AsksWhenThereAreSeveral) {
  const TemporaryFolder folder;
  write_bare_run(folder.path(), {.recipe = "fast"});
  write_bare_run(folder.path(), {.recipe = "steady"});
  const auto ledger = read({folder.path()});
  ASSERT_TRUE(ledger) << ledger.error().message();
  const auto open = choose_recipe(*ledger, std::nullopt);
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().kind(), ErrorKind::kUsage);
  EXPECT_THAT(open.error().message(), AllOf(HasSubstr("fast, steady"), HasSubstr("--recipe")));
  EXPECT_EQ(*choose_recipe(*ledger, "steady"), "steady");
  EXPECT_THAT(choose_recipe(*ledger, "stedy").error().message(), HasSubstr("Did you mean \"steady\"?"));
}

TEST(Ledger, KeepsRunsOfOtherTasksAndSizesApart) {
  const TemporaryFolder folder;
  write_run(folder.path(), {});
  write_run(folder.path(), {.hash = "11111111", .set = {{"slots", "16"}, {"width", "16"}}});
  test::write_mqar_run(folder.path(), {.recipe = "levels", .hash = "22222222"});
  const auto ledger = read({folder.path()});
  ASSERT_TRUE(ledger) << ledger.error().message();
  ASSERT_EQ(ledger->runs().size(), 1U);
  EXPECT_EQ(ledger->runs_of("fast", "schemamem", "A3V3").size(), 1U);
  EXPECT_THAT(ledger->recipes(), ElementsAre("fast"));
  ASSERT_EQ(ledger->others().size(), 2U);
  EXPECT_EQ(ledger->others()[0].model_text(), "schemamem:slots=16:width=16");
  EXPECT_EQ(ledger->others()[1].task, "mqar");
  EXPECT_EQ(choose_recipe(*ledger, {}).value(), "fast");
}

TEST(Ledger, OfNothingButOtherTasksHasNoRecipeToReportOn) {
  const TemporaryFolder folder;
  test::write_mqar_run(folder.path());
  const auto recipe = choose_recipe(read({folder.path()}).value(), {});
  ASSERT_FALSE(recipe);
  EXPECT_EQ(recipe.error().kind(), ErrorKind::kMissingInput);
  EXPECT_THAT(recipe.error().message(), HasSubstr("schemamem report"));
}

TEST(Ledger, ARecordOfAnotherTaskThanItsRunIsBadData) {
  const TemporaryFolder folder;
  const auto path = test::write_mqar_run(folder.path());
  EvaluationRecord record = made_record({}, false, 7);
  record.checkpoint.setting = "V64L32P4";
  test::add_record(path, record);
  const auto refused = read({folder.path()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kBadData);
  EXPECT_THAT(refused.error().message(), AllOf(HasSubstr("address-value"), HasSubstr("mqar")));
}

}  // namespace
}  // namespace schemamem
