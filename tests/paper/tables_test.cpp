#include "paper/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "paper/additions.h"
#include "paper/text_numbers.h"
#include "support/made_runs.h"

namespace schemamem {
namespace {

using test::MadeRun;
using test::write_run;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Ledger read(const std::filesystem::path& path) { return Ledger::read(std::vector{path}).value(); }

/// SchemaMem A3V3 with three seeds, the last of which gave up; one run of Mamba-3; everything else is missing.
void write_some_runs(const std::filesystem::path& folder) {
  for (const std::uint64_t seed : kPaperSeeds) {
    MadeRun run{.seed = seed,
                .status = seed == 44 ? "step-limit" : "passed",
                .maint_steps = static_cast<std::int64_t>(2000 + 1000 * (seed - 42))};
    run.per_mille = [seed](const std::string&, std::int64_t, const std::string& group, bool) {
      return static_cast<int>((group == "default" ? 900 : 700) + 50 * (seed - 42));
    };
    write_run(folder, run);
  }
  write_run(folder, {.model = "mamba3", .maint_steps = 90000});
}

std::string without_path(std::string text, const std::string& path) {
  for (std::size_t at = text.find(path); at != std::string::npos; at = text.find(path))
    text.replace(at, path.size(), "RUNS");
  return text;
}

/// Compares with tests/data/paper/<name>; with SCHEMAMEM_WRITE_GOLDEN set, writes it instead, to be looked at.
void expect_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path path = std::filesystem::path(SCHEMAMEM_TEST_DATA) / "paper" / name;
  if (std::getenv("SCHEMAMEM_WRITE_GOLDEN") != nullptr) test::write_text(path, text);
  std::ifstream file(path);
  std::ostringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(text, golden.str()) << name;
}

TEST(PaperTables, LookAsTheyShouldInEveryFormat) {
  const TemporaryFolder folder;
  write_some_runs(folder.path());
  for (const Table& table : paper_tables(read(folder.path()), {.recipe = "fast"})) {
    if (table.name != "resources" && table.name != "cost" && table.name != "long_delay") continue;
    const std::string path = folder.path().string();
    expect_golden(table.name + ".md", without_path(markdown(table), path));
    expect_golden(table.name + ".tex", without_path(latex(table), path));
    expect_golden(table.name + ".csv", without_path(csv(table), path));
  }
}

TEST(PaperTables, AreEightWithThePapersRows) {
  const TemporaryFolder folder;
  write_some_runs(folder.path());
  std::vector<std::pair<std::string, std::size_t>> rows;
  for (const Table& table : paper_tables(read(folder.path()), {.recipe = "fast"})) {
    rows.emplace_back(table.label, table.records.size());
    for (const auto& row : table.rows) EXPECT_TRUE(row.empty() || row.size() == table.headings.size()) << table.name;
    for (const auto& record : table.records) EXPECT_EQ(record.size(), table.record_header.size()) << table.name;
  }
  EXPECT_THAT(rows, testing::ElementsAre(
                        std::pair("tab:resources", 3), std::pair("tab:core-results", 9), std::pair("tab:longdelay", 27),
                        std::pair("tab:cost", 9), std::pair("tab:seeds", 81), std::pair("tab:groups", 81),
                        std::pair("tab:state-ablation-384", 18), std::pair("tab:state-ablation-1536", 18)));
}

TEST(PaperTables, MarkRunsAtTheirLimitAndFewerSeeds) {
  const TemporaryFolder folder;
  write_some_runs(folder.path());
  const auto tables = paper_tables(read(folder.path()), {.recipe = "fast"});
  EXPECT_THAT(markdown(tables.at(2)), AllOf(HasSubstr("75.0 ± 5.0 †"), HasSubstr("50.0 (n=1)"), HasSubstr(" — |")));
  const std::string seeds = markdown(tables.at(4));
  EXPECT_THAT(seeds, AllOf(HasSubstr("Ended at the step limit"), HasSubstr("70.00")));
  EXPECT_EQ(tables.at(4).records.at(2).at(tables.at(4).record_header.size() - 2), "no");
}

TEST(TextNumberTable, ShowsAndDoesNotJudgeACountOfFewerSettings) {
  const TemporaryFolder folder;
  write_some_runs(folder.path());
  const std::string text = markdown(text_number_table(read(folder.path()), {.recipe = "fast"}));
  EXPECT_THAT(text, AllOf(HasSubstr("1 of 1 |"), HasSubstr("75.00 ± 5.00 †"), Not(HasSubstr("1 of 1 ▼"))));
}

TEST(Additions, HaveDropsHalfLivesIntervalsAndUnseenEpisodes) {
  const TemporaryFolder folder;
  MadeRun run;
  run.per_mille = [](const std::string&, std::int64_t delay, const std::string&, bool) {
    return delay <= 384 ? 1000 : delay == 768 ? 500 : 250;
  };
  const auto path = write_run(folder.path(), run);
  test::add_record(path, test::made_record({}, false, kUnseenEvaluationSeed));
  const auto tables = additions(read(folder.path()), {.recipe = "fast"});
  ASSERT_EQ(tables.size(), 5U);
  const auto cell = [&](std::size_t table) { return tables.at(table).rows.at(0).at(2); };
  EXPECT_EQ(cell(0), "75.0");
  EXPECT_EQ(cell(1), "768");
  EXPECT_THAT(cell(2), testing::StartsWith("25.0 [2"));
  EXPECT_EQ(cell(3), "25.0 / 50.0");
  for (const Table& table : tables) EXPECT_THAT(table.caption, HasSubstr("An addition of ours"));
}

/// A record of a curve, asked at the paper's last delay, where the table counts, and far beyond it.
EvaluationRecord made_curve(const MadeRun& run) {
  EvaluationRecord record = test::made_record(run, false, kPaperEvaluationSeed, "curve");
  record.cells.clear();
  for (const NamedColumn& column : named_columns())
    for (const std::int64_t delay : {kLongDelay, std::int64_t{6144}, std::int64_t{98304}})
      record.put(test::made_cell(run, std::string(column.scenario), delay, std::string(column.group), false));
  return record;
}

TEST(Additions, HaveARowForEveryDelayThatOnlyCurvesReach) {
  const TemporaryFolder folder;
  for (const std::uint64_t seed : {42, 43}) {
    MadeRun run{.seed = seed};
    run.per_mille = [seed](const std::string&, std::int64_t delay, const std::string& group, bool) {
      return delay < 10000 ? 1000 : group == "default" ? 900 : seed == 42 ? 800 : 600;
    };
    test::add_record(write_run(folder.path(), run), made_curve(run));
  }
  write_run(folder.path(), {.model = "gdn"});
  write_run(folder.path(), {.setting = "A4V4"});
  const Table table = additions(read(folder.path()), {.recipe = "fast"}).back();
  EXPECT_EQ(table.name, "far");
  ASSERT_EQ(table.records.size(), 2U) << "Gated DeltaNet has no curve, 1,536 is in other tables";
  ASSERT_EQ(table.rows.size(), 2U) << "no rule before a setting without rows";
  EXPECT_THAT(table.rows.at(0),
              testing::ElementsAre("A3V3", "SM", "6,144", "100.0 ± 0.0", "100.0 ± 0.0", "100.0 ± 0.0", "100.0 ± 0.0"));
  EXPECT_THAT(table.rows.at(1),
              testing::ElementsAre("A3V3", "SM", "98,304", "70.0 ± 14.1", "70.0 ± 14.1", "70.0 ± 14.1", "90.0 ± 0.0"));
  EXPECT_THAT(csv(table), HasSubstr("A3V3,schemamem,98304,70,14.14213562,60,2,"));
}

TEST(Additions, HaveAllAddressesAfterNumbersOfWritesAndNeverWithAFloor) {
  const TemporaryFolder folder;
  for (const std::uint64_t seed : {42, 43}) {
    MadeRun run{.seed = seed};
    run.per_mille = [seed](const std::string&, std::int64_t, const std::string& group, bool) {
      return group == "updated" ? 1000 : seed == 42 ? 500 : 100;
    };
    const auto made = write_run(folder.path(), run);
    test::add_record(made, test::made_writes(run, 0));
    run.per_mille = [](const std::string&, std::int64_t, const std::string&, bool) { return 0; };
    test::add_record(made, test::made_writes(run, 0.001));
  }
  const Table table = additions(read(folder.path()), {.recipe = "fast"}).back();
  EXPECT_EQ(table.name, "writes");
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_THAT(table.rows.at(0), testing::ElementsAre("A3V3", "SM", "100.0 ± 0.0", "65.0 ± 14.1"));
  EXPECT_THAT(csv(table), HasSubstr("A3V3,schemamem,64,65,14.14213562,2"));
}

}  // namespace
}  // namespace schemamem
