#include "paper/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "paper/numbers.h"
#include "support/made_runs.h"

namespace schemamem {
namespace {

using nlohmann::json;
using test::add_record;
using test::constant;
using test::ledger_of;
using test::made_record;
using test::MadeRun;
using test::write_run;
using testing::ElementsAre;

json payload_of(const std::filesystem::path& folder) {
  const Ledger ledger = ledger_of(folder);
  return json::parse(*page_payload(ledger, paper_subject(ledger), "schemamem report runs"));
}

const json& table_named(const json& payload, const std::string& id) {
  for (const json& table : payload.at("tables"))
    if (table.at("id") == id) return table;
  throw ContractViolation("no table " + id);
}

TEST(PaperPage, TablesHaveOursBesideThePapers) {
  const TemporaryFolder folder;
  const MadeRun first = constant(42, 70);
  add_record(write_run(folder.path(), first), made_record(first, false, kUnseenEvaluationSeed));
  write_run(folder.path(), constant(43, 80, "step-limit"));
  const json payload = payload_of(folder.path());
  const json& row = table_named(payload, "long_delay").at("rows").at(0);
  EXPECT_THAT(row.at("heads"), ElementsAre("A3V3", "SchemaMem"));
  const json& cell = row.at("cells").at(0);
  EXPECT_EQ(cell.at("paper"), json({{"mean", 81.4}, {"sd", 5.3}}));
  ASSERT_EQ(cell.at("ours").size(), 2u);  // both seeds of episodes
  const json& ours = cell.at("ours").at(0);
  EXPECT_EQ(ours.at("mean"), 75.0);
  EXPECT_EQ(ours.at("seeds"), json({42, 43}));
  EXPECT_EQ(ours.at("capped"), true);
  EXPECT_EQ(ours.at("verdict"), "worse");
  EXPECT_EQ(cell.at("ours").at(1).at("mean"), 70.0);
  EXPECT_EQ(table_named(payload, "groups").at("rows").at(0).at("cells").at(1), nullptr);  // retention updates nothing
  EXPECT_EQ(table_named(payload, "core").at("rows").size(), 9u);
  EXPECT_EQ(table_named(payload, "per_seed").at("rows").size(), 81u);
  EXPECT_EQ(table_named(payload, "drops").at("rows").at(0).at("cells").at(0).at("ours").at(0).at("mean"), 0.0);
}

TEST(PaperPage, ATableHasTheDelaysThatOnlyCurvesReach) {
  const TemporaryFolder folder;
  for (const std::uint64_t seed : {42, 43}) {
    const MadeRun run = constant(seed, seed == 42 ? 90 : 80);
    EvaluationRecord record = made_record(run, false, kPaperEvaluationSeed, "curve");
    for (EvaluationCell& cell : record.cells) cell.delay *= 16;  // 1,536 to 24,576
    add_record(write_run(folder.path(), run), record);
  }
  const json payload = payload_of(folder.path());
  const json& rows = table_named(payload, "far").at("rows");
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_THAT(rows.at(3).at("heads"), ElementsAre("A3V3", "SchemaMem", "24,576"));
  const json& ours = rows.at(3).at("cells").at(0).at("ours");
  ASSERT_EQ(ours.size(), 1u);
  EXPECT_EQ(ours.at(0).at("mean"), 85.0);
  EXPECT_EQ(ours.at(0).at("seeds"), json({42, 43}));
}

TEST(PaperPage, ClaimsNameTheRunsAndCommandsBehindTheirNumbers) {
  const TemporaryFolder folder;
  for (const char* model : {"schemamem", "mamba3", "gdn"}) write_run(folder.path(), {.model = model});
  for (const json& claim : payload_of(folder.path()).at("claims")) {
    if (claim.at("id") != "overtakes") continue;
    const json& result = claim.at("results").at(0);
    EXPECT_EQ(result.at("verdict"), "fails");
    EXPECT_EQ(result.at("made_by").at("runs"), json({0, 1, 2}));
    EXPECT_EQ(result.at("made_by").at("commands").at(0),
              json({{"command", "eval"}, {"arguments", "--delays 1536 --eval-seed 20261001"}}));
  }
}

TEST(PaperPage, HasThePapersEpisodesFirstAndSaysWhatTheOthersAre) {
  const TemporaryFolder folder;
  const MadeRun run = constant(42, 70);
  const auto path = write_run(folder.path(), run);
  for (const std::uint64_t seed : {std::uint64_t{7}, kUnseenEvaluationSeed})
    add_record(path, made_record(run, false, seed));
  EXPECT_EQ(payload_of(folder.path()).at("eval_seeds"),
            json::array({{{"seed", kPaperEvaluationSeed}, {"role", "paper"}},
                         {{"seed", 7}, {"role", "other"}},
                         {{"seed", kUnseenEvaluationSeed}, {"role", "unseen"}}}));
}

}  // namespace
}  // namespace schemamem
