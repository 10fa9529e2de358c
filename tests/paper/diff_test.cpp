#include "paper/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "paper/diff_summary.h"
#include "paper/gaps.h"
#include "paper/text_numbers.h"
#include "support/made_runs.h"

namespace schemamem {
namespace {

using Json = nlohmann::json;
using test::MadeRun;
using test::write_run;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Ledger read(const std::filesystem::path& path) { return Ledger::read(std::vector{path}).value(); }

/// Every number of the paper's tables: leaves of the JSON but for the seeds, which name rows.
void collect(const Json& json, std::vector<double>& numbers) {
  if (json.is_number()) numbers.push_back(json);
  if (json.is_array())
    for (const Json& value : json) collect(value, numbers);
  if (!json.is_object()) return;
  for (const auto& [key, value] : json.items())
    if (key != "seed") collect(value, numbers);
}

TEST(PaperNumbers, EveryNumberOfTheTablesIsACell) {
  std::vector<double> printed, held;
  collect(Json::parse(paper_numbers_json()), printed);
  for (const PaperCell& cell : paper_cells()) {
    held.push_back(cell.mean);
    if (cell.sd_printed) held.push_back(*cell.sd);
  }
  EXPECT_EQ(printed.size(), 1350U);
  std::sort(printed.begin(), printed.end());
  std::sort(held.begin(), held.end());
  EXPECT_EQ(held, printed);
}

TEST(PaperNumbers, NoTwoCellsHaveTheSameName) {
  std::set<std::string> names;
  for (const PaperCell& cell : paper_cells())
    names.insert(fmt::format("{} {} {} {} {} {}", cell.table, cell.model, cell.setting, cell.column,
                             cell.delay.value_or(-1), cell.seed.value_or(0)));
  EXPECT_EQ(names.size(), paper_cells().size());
  EXPECT_EQ(names.size(), 882U);
}

TEST(PaperNumbers, TheSpreadOfCostsIsThatOfTheTableOfSeeds) {
  const auto cells = paper_cells();
  const auto cost =
      std::find_if(cells.begin(), cells.end(), [](const PaperCell& cell) { return cell.table == "cost"; });
  ASSERT_NE(cost, cells.end());
  EXPECT_EQ(cost->mean, 88667);  // SchemaMem A3V3: 51,000, 111,500 and 103,500
  EXPECT_NEAR(*cost->sd, 32864.6, 0.1);
}

PaperCell cell_of(Better better) {
  return {.mean = 70, .sd = 5, .sd_printed = true, .rounding = 0.05, .better = better};
}
Verdict judged(double ours, Better better = Better::kHigher) { return judge(cell_of(better), Summary{3, ours, {}}); }

TEST(Judge, IsWithinAsFarAsTheSpreadAndRoundingReach) {
  EXPECT_EQ(judged(75.1), Verdict::kWithin);
  EXPECT_EQ(judged(64.9), Verdict::kWithin);
  EXPECT_EQ(judged(75.2), Verdict::kBetter);
  EXPECT_EQ(judged(64.8), Verdict::kWorse);
}

TEST(Judge, KnowsThatFewerStepsAreBetter) {
  EXPECT_EQ(judged(60, Better::kLower), Verdict::kBetter);
  EXPECT_EQ(judged(80, Better::kLower), Verdict::kWorse);
}

TEST(Judge, AsksForEqualResources) {
  const PaperCell parameters{.mean = 54336, .better = Better::kEqual};
  EXPECT_EQ(judge(parameters, Summary{1, 54336, {}}), Verdict::kWithin);
  EXPECT_EQ(judge(parameters, Summary{1, 54335, {}}), Verdict::kWorse);
}

TEST(Judge, CallsNothingMissing) { EXPECT_EQ(judge(cell_of(Better::kHigher), std::nullopt), Verdict::kMissing); }

TEST(Diff, OfTheWholeGridHasNoGap) {
  const TemporaryFolder folder;
  test::write_grid(folder.path());
  const Ledger ledger = read(folder.path());
  const auto cells = diff(ledger, {.recipe = "fast"});
  EXPECT_EQ(cells.size(), 882U);
  for (const DiffCell& cell : cells)
    EXPECT_NE(cell.verdict, Verdict::kMissing) << cell.paper.table << ' ' << cell.paper.column;
  EXPECT_THAT(gaps(ledger, {.recipe = "fast"}, paper_cells()), IsEmpty());
  for (const TextNumber& number : text_numbers(ledger, {.recipe = "fast"}))
    EXPECT_TRUE(number.cell.ours) << number.what;
}

TEST(Diff, ReadsEachColumnFromItsScenarioAndMode) {
  const TemporaryFolder folder;
  MadeRun run;
  run.per_mille = [](const std::string& scenario, std::int64_t delay, const std::string& group, bool ablated) {
    return (scenario == "retention"      ? 100
            : scenario == "interference" ? 200
                                         : 300) +
           (group == "retained"  ? 10
            : group == "updated" ? 20
                                 : 30) +
           (delay == 384 ? 1 : 2) + (ablated ? 500 : 0);
  };
  write_run(folder.path(), run);
  const Ledger ledger = read(folder.path());
  const auto ours = [cells = diff(ledger, {.recipe = "fast"})](std::string_view table, std::string_view column) {
    for (const DiffCell& cell : cells)
      if (cell.paper.table == table && cell.paper.column == column && cell.ours) return cell.ours->mean;
    return -1.0;
  };
  EXPECT_DOUBLE_EQ(ours("long_delay", "retained_r"), 11.2);
  EXPECT_DOUBLE_EQ(ours("long_delay", "retained_i"), 21.2);
  EXPECT_DOUBLE_EQ(ours("core", "updated"), 32.2);
  EXPECT_DOUBLE_EQ(ours("per_seed", "updated"), 32.2);
  EXPECT_DOUBLE_EQ(ours("long_delay", "default"), 33.2);
  EXPECT_DOUBLE_EQ(ours("groups", "interference/updated"), 22.2);
  EXPECT_DOUBLE_EQ(ours("ablation_384", "retained_r"), 11.1);
  EXPECT_DOUBLE_EQ(ours("ablation_384", "zero/retained_r"), 61.1);
  EXPECT_DOUBLE_EQ(ours("ablation_1536", "zero/default"), 83.2);
  EXPECT_DOUBLE_EQ(ours("resources", "persistent_elements"), 16896);
  EXPECT_DOUBLE_EQ(ours("resources", "target"), 95);
  EXPECT_DOUBLE_EQ(ours("cost", "steps"), 4000);
  EXPECT_DOUBLE_EQ(ours("per_seed", "tx_steps"), 1000);
}

TEST(Diff, IsPrintedWithExactlyItsKeysAndReadBack) {
  const TemporaryFolder folder;
  write_run(folder.path(), {});
  const auto cells = diff(read(folder.path()), {.recipe = "fast"});
  const std::string text = diff_json(cells);
  const Json json = Json::parse(text);
  ASSERT_EQ(json.at("cells").size(), 882U);
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.at("cells").front().items()) keys.push_back(key);
  EXPECT_THAT(keys, testing::UnorderedElementsAre("table", "model", "setting", "column", "delay", "seeds", "ours_mean",
                                                  "ours_sd", "paper_mean", "paper_sd", "verdict"));
  const auto again = parse_diff(text, "memory");
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(diff_json(*again), text);
  EXPECT_EQ(diff_summary(*again), diff_summary(cells));
  EXPECT_FALSE(parse_diff("{\"cells\": [{}]}", "memory"));
}

TEST(Diff, TakesNoRunOfAnotherRecipe) {
  const TemporaryFolder folder;
  write_run(folder.path(), {.recipe = "steady"});
  for (const DiffCell& cell : diff(read(folder.path()), {.recipe = "fast"})) EXPECT_EQ(cell.verdict, Verdict::kMissing);
}

TEST(Gaps, NameWhatIsMissingAndTheCommandThatMakesIt) {
  const TemporaryFolder folder;
  write_run(folder.path(), {.seed = 42});
  const auto unfinished = test::write_bare_run(folder.path(), {.seed = 43, .status = ""});
  const auto unevaluated = test::write_bare_run(folder.path(), {.seed = 44});
  const Ledger ledger = read(folder.path());
  std::vector<PaperCell> cells = paper_cells();
  std::erase_if(cells, [](const PaperCell& cell) { return cell.setting != "A3V3" || cell.model == "mamba3"; });
  EXPECT_THAT(
      gaps(ledger, {.recipe = "fast"}, cells),
      ElementsAre(testing::AllOf(HasSubstr("No run of gdn in A3V3. "),
                                 HasSubstr("schemamem train --model gdn --setting A3V3 --seed 42 --recipe fast")),
                  HasSubstr("`schemamem resume " + unfinished.string() + "`"),
                  HasSubstr("`schemamem ablate " + unevaluated.string() + "`"),
                  HasSubstr("`schemamem eval " + unevaluated.string() + "`")));
}

TEST(Diff, CallsNoStepsOfARunAtItsLimitACost) {
  const TemporaryFolder folder;
  write_run(folder.path(), {.status = "step-limit"});
  for (const DiffCell& cell : diff(read(folder.path()), {.recipe = "fast"})) {
    if (!cell.ours || !cell.paper.column.ends_with("steps")) continue;
    EXPECT_LT(cell.ours->mean, cell.paper.mean);
    EXPECT_EQ(cell.verdict, Verdict::kWorse) << cell.paper.column;
  }
}

TEST(Gaps, TellWhichRunsEndedAtTheirLimit) {
  const TemporaryFolder folder;
  const auto capped = write_run(folder.path(), {.status = "step-limit"});
  const Ledger ledger = read(folder.path());
  EXPECT_THAT(capped_runs(ledger, {.recipe = "fast"}, paper_cells()), ElementsAre(HasSubstr(capped.string())));
  EXPECT_THAT(capped_runs(ledger, {.recipe = "steady"}, paper_cells()), IsEmpty());
}

TEST(TextNumbers, CountSettingsAndCheckpointsThatAreThere) {
  const TemporaryFolder folder;
  test::write_grid(folder.path());
  const auto numbers = text_numbers(read(folder.path()), {.recipe = "fast"});
  const auto find = [&](const std::string& what) {
    const auto found =
        std::find_if(numbers.begin(), numbers.end(), [&](const TextNumber& number) { return number.what == what; });
    require(found != numbers.end(), "no such number: " + what);
    return *found;
  };
  const TextNumber wins = find("Settings in which SchemaMem is above Gated DeltaNet: Updated at delay 1,536");
  EXPECT_EQ(wins.cell.paper.mean, 7);
  EXPECT_EQ(wins.cell.ours->mean, 9);
  EXPECT_EQ(wins.of, 9);
  EXPECT_EQ(wins.cell.verdict, Verdict::kBetter);
  const TextNumber zeroed = find("Checkpoints with every written group below 1 % at delay 384 when S = 0");
  EXPECT_EQ(zeroed.cell.ours->mean, 27);
  EXPECT_EQ(zeroed.cell.verdict, Verdict::kWithin);
  EXPECT_EQ(find("Runs that reach their final target").cell.ours->mean, 81);
}

}  // namespace
}  // namespace schemamem
