#include "report/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "support/made_runs.h"
#include "system/files.h"

namespace schemamem {
namespace {

using nlohmann::json;
using test::constant;
using test::ledger_of;
using test::MadeRun;
using test::write_run;
using testing::HasSubstr;
using testing::Not;

/// One model in one setting, beside nothing.
PageSubject subject() {
  return {.training_limit = 384,
          .models = {{"schemamem", "SchemaMem", "SM"}},
          .settings = {"A3V3"},
          .eval_seeds = {{20261001, "paper"}}};
}

std::string page_of(const std::filesystem::path& folder) { return *report_page(ledger_of(folder), subject(), "c"); }

json payload_of(const std::filesystem::path& folder) {
  return json::parse(*page_payload(ledger_of(folder), subject(), "schemamem report runs"));
}

TEST(ReportPage, IsOneFileThatMayLoadNothing) {
  const TemporaryFolder folder;
  write_run(folder.path(), {});
  const std::string page = page_of(folder.path());
  EXPECT_THAT(page, HasSubstr("default-src 'none'; script-src 'sha256-"));
  static const std::regex loads(R"((?:src|href)=["']?(?:https?:)?//)");
  EXPECT_FALSE(std::regex_search(page, loads));
  EXPECT_THAT(page, HasSubstr("Permission is hereby granted, free of charge"));  // uPlot's notice
  EXPECT_THAT(page, Not(HasSubstr("{{")));
}

TEST(ReportPage, HasTheSameBytesEveryTime) {
  const TemporaryFolder folder;
  write_run(folder.path(), {});
  write_run(folder.path(), {.model = "gdn", .status = "step-limit"});
  EXPECT_EQ(page_of(folder.path()), page_of(folder.path()));
}

TEST(ReportPage, TextsOfAManifestCannotEndTheScriptTheyStandIn) {
  const TemporaryFolder folder;
  const std::string hostile = "</script><script>alert(1)</script><!--";
  const std::filesystem::path manifest = write_run(folder.path(), {}) / "run.json";
  json changed = json::parse(*read_text_file(manifest, 1 << 20));
  changed["note"] = hostile;
  test::write_text(manifest, changed.dump());
  const std::string page = page_of(folder.path());
  EXPECT_THAT(page, Not(HasSubstr(hostile)));
  EXPECT_THAT(page, HasSubstr("\\u003c/script>"));
  EXPECT_EQ(payload_of(folder.path()).at("runs").at(0).at("manifest").at("note"), hostile);
}

TEST(ReportPage, BytesOfANameThatAreNoTextAreShownAsSuch) {
  const TemporaryFolder folder;
  const auto run = write_run(folder.path(), {});
  std::filesystem::rename(run, folder.path() / "caf\xe9");
  EXPECT_EQ(payload_of(folder.path()).at("runs").at(0).at("name"), "caf\uFFFD");
}

TEST(ReportPage, CurvesHaveEverySeedAndTheirMean) {
  const TemporaryFolder folder;
  write_run(folder.path(), constant(42, 90));
  write_run(folder.path(), constant(43, 80));
  const json payload = payload_of(folder.path());
  ASSERT_EQ(payload.at("curves").size(), 4u);  // the named columns
  const json& curve = payload.at("curves").at(0);
  EXPECT_EQ(curve.at("delays"), json({96, 192, 384, 768, 1536}));
  EXPECT_EQ(curve.at("mean"), json({85.0, 85.0, 85.0, 85.0, 85.0}));
  EXPECT_EQ(curve.at("seeds").at(1).at("seed"), 43);
  EXPECT_EQ(curve.at("seeds").at(1).at("values").at(4), 80.0);
}

TEST(ReportPage, ARunWithoutAnEvaluationIsShownAsSuch) {
  const TemporaryFolder folder;
  test::write_bare_run(folder.path(), {});
  const json payload = payload_of(folder.path());
  EXPECT_TRUE(payload.at("curves").empty());
  EXPECT_TRUE(payload.at("runs").at(0).at("evaluations").empty());
  EXPECT_EQ(payload.at("runs").at(0).at("status"), "passed");
}

TEST(ReportPage, ShowsTheSubjectItIsGiven) {
  const TemporaryFolder folder;
  write_run(folder.path(), {});
  PageSubject other = subject();
  other.claims.push_back("a claim");
  other.tables.push_back("a table");
  other.points.push_back("a point");
  const json payload = json::parse(*page_payload(ledger_of(folder.path()), other, "c"));
  EXPECT_EQ(payload.at("claims"), json::array({"a claim"}));
  EXPECT_EQ(payload.at("tables"), json::array({"a table"}));
  EXPECT_EQ(payload.at("paper_points"), json::array({"a point"}));
  EXPECT_EQ(payload.at("models"), json::array({{{"name", "schemamem"}, {"label", "SchemaMem"}, {"short", "SM"}}}));
  EXPECT_EQ(payload.at("training_limit"), 384);
}

TEST(ReportPage, ListsRunsOfOtherTasksInATableOfTheirOwn) {
  const TemporaryFolder folder;
  write_run(folder.path(), {});
  for (const std::uint64_t seed : {42, 43}) {
    MadeRun run = constant(seed, seed == 42 ? 90 : 80);
    run.recipe = "levels";
    test::write_mqar_run(folder.path(), run);
  }
  const json payload = payload_of(folder.path());
  ASSERT_EQ(payload.at("runs").size(), 3U);
  EXPECT_EQ(payload.at("runs").at(0).at("task"), "address-value");
  EXPECT_EQ(payload.at("runs").at(2).at("task"), "mqar");
  EXPECT_EQ(payload.at("recipes"), json::array({"fast"}));
  EXPECT_EQ(payload.at("times").size(), 1U) << "of the paper's task alone";
  const json& table = payload.at("tables").back();
  EXPECT_EQ(table.at("id"), "other_runs");
  EXPECT_EQ(table.at("own"), true);
  ASSERT_EQ(table.at("rows").size(), 2U);
  const json& row = table.at("rows").at(0);
  EXPECT_EQ(row.at("heads"), json({"mqar", "V64L32P4", "schemamem", "levels", "pairs-4", "32", "early"}));
  EXPECT_EQ(table.at("heads").size(), row.at("heads").size());
  ASSERT_EQ(row.at("cells").size(), table.at("columns").size());
  const json& ours = row.at("cells").at(0).at("ours");
  ASSERT_EQ(ours.size(), 2U);  // both seeds of episodes, for the one recipe that can be chosen
  EXPECT_EQ(ours.at(0).at("recipe"), "fast");
  EXPECT_EQ(ours.at(0).at("mean"), 85.0);
  EXPECT_EQ(ours.at(0).at("seeds"), json({42, 43}));
}

TEST(ReportPage, HasWhatIsLeftAfterNumbersOfWrites) {
  const TemporaryFolder folder;
  EXPECT_EQ(payload_of(write_run(folder / "without", {})).at("writes").size(), 0U);
  for (const std::uint64_t seed : {42, 43}) {
    const MadeRun run = constant(seed, seed == 42 ? 90 : 80);
    test::add_record(write_run(folder / "with", run), test::made_writes(run, 0));
  }
  const json payload = payload_of(folder / "with");
  ASSERT_EQ(payload.at("writes").size(), 1U);
  const json& curve = payload.at("writes").at(0);
  EXPECT_EQ(curve.at("writes"), json({8, 64}));
  EXPECT_EQ(curve.at("mean"), json({85.0, 85.0}));
  EXPECT_EQ(curve.at("seeds"), json({2, 2}));
  EXPECT_EQ(payload.at("recipe_texts").at("fast"), "fast");
}

TEST(ReportPage, ShowsSettingsAndModelsThatItsSubjectDoesNotHave) {
  const TemporaryFolder folder;
  write_run(folder.path(), {});
  MadeRun other = constant(42, 90), guest = constant(42, 70);
  other.setting = "A2V2";
  guest.model = "gru";
  write_run(folder.path(), other);
  write_run(folder.path(), guest);
  const json payload = payload_of(folder.path());
  EXPECT_EQ(payload.at("settings"), json::array({"A3V3", "A2V2"}));
  EXPECT_EQ(payload.at("models").at(1).at("label"), "gru");
  EXPECT_EQ(payload.at("curves").size(), 12U) << "four columns of each";
  EXPECT_EQ(payload.at("tables").back().at("id"), "other_runs");
  EXPECT_EQ(payload.at("tables").back().at("rows").size() % 2, 0U) << "of both";
}

TEST(ReportPage, OfNothingButOtherTasksIsAPageToo) {
  const TemporaryFolder folder;
  test::write_mqar_run(folder.path());
  const json payload = payload_of(folder.path());
  EXPECT_TRUE(payload.at("recipes").empty());
  EXPECT_TRUE(payload.at("curves").empty());
  const json& ours = payload.at("tables").back().at("rows").at(0).at("cells").at(0).at("ours");
  ASSERT_EQ(ours.size(), 2U);
  EXPECT_FALSE(ours.at(0).contains("recipe"));
}

}  // namespace
}  // namespace schemamem
