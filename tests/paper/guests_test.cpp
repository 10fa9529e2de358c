#include "paper/guests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "paper/folder.h"
#include "paper/page.h"
#include "report/page.h"
#include "support/made_runs.h"

namespace schemamem {
namespace {

using test::MadeRun;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const Selection kSelection{.recipe = "fast", .eval_seed = kPaperEvaluationSeed};

/// A guest whose accuracy is the same everywhere.
void write_guest(const std::filesystem::path& root, const std::string& name, std::uint64_t seed, int per_mille,
                 const std::string& note = "hidden 96") {
  const MadeRun like{
      .model = name,
      .recipe = "",
      .seed = seed,
      .hash = "",
      .per_mille = [=](const std::string&, std::int64_t, const std::string&, bool) { return per_mille; }};
  const Guest guest{
      .name = name, .setting = "A3V3", .seed = seed, .owner = "somebody", .note = note, .parameters = 56'931};
  ASSERT_TRUE(save_guest(root, guest, test::made_record(like, false, kPaperEvaluationSeed)));
}

struct Folders {
  TemporaryFolder folder;
  Folders() {
    for (const PaperModel& model : kPaperModels) {
      for (const std::uint64_t seed : {42, 43})
        test::write_run(folder / "runs", {.model = std::string(model.name), .seed = seed});
    }
    write_guest(folder / "guests", "my-gru", 0, 700);
    write_guest(folder / "guests", "my-gru", 1, 800);
    write_guest(folder / "guests", "transformer", 0, 990, "two layers | `four` heads");
  }
  Result<Ledger> read(const std::vector<std::string>& models = {"schemamem", "mamba3", "gdn"}) const {
    return Ledger::read(std::vector<std::filesystem::path>{folder / "runs", folder / "guests"}, models);
  }
};

TEST(Guests, StandBesideTheRunsOfEveryRecipe) {
  const Folders folders;
  const auto ledger = folders.read();
  ASSERT_TRUE(ledger) << ledger.error().message();
  EXPECT_EQ(ledger->runs().size(), 6U);
  EXPECT_THAT(ledger->guest_names(), ElementsAre("my-gru", "transformer"));
  EXPECT_THAT(ledger->recipes(), ElementsAre("fast"));
  for (const char* recipe : {"fast", "paper", ""}) {
    const Query query{.recipe = recipe,
                      .model = "my-gru",
                      .setting = "A3V3",
                      .scenario = "overwrite",
                      .group = "updated",
                      .delay = 1536,
                      .eval_seed = kPaperEvaluationSeed};
    ASSERT_EQ(ledger->values(query).size(), 2U);
    EXPECT_EQ(ledger->values(query)[1].exact, 80.0);
  }
}

TEST(Guests, ShareOneTableWithOurModels) {
  const Folders folders;
  const Table table = guest_table(folders.read().value(), kSelection);
  std::vector<std::string> names;
  for (const auto& row : table.rows) names.push_back(row[1]);
  EXPECT_THAT(names, ElementsAre("SchemaMem", "Mamba-3", "Gated DeltaNet", "`my-gru`", "`transformer`"));
  EXPECT_THAT(table.rows[0], testing::Contains("50.0 ± 0.0"));
  EXPECT_EQ(table.rows[3][2], "56,931");
  EXPECT_EQ(table.rows[3][3], "2");
  EXPECT_EQ(table.rows[3][4], "75.0 ± 7.1");
  EXPECT_EQ(table.rows[4][4], "99.0");
  EXPECT_THAT(table.notes, ElementsAre("`my-gru`: hidden 96; by somebody; 8 episodes a case.",
                                       "`transformer`: two layers    four  heads; by somebody; 8 episodes a case."));
  EXPECT_EQ(table.records[3].size(), table.record_header.size());
}

TEST(Guests, ShareOneFigureWithOurModels) {
  const Folders folders;
  const Figure figure = guest_figure(folders.read().value(), kSelection);
  EXPECT_THAT(figure.csv, HasSubstr("A3V3,retained_r,my-gru,1536,75,"));
  EXPECT_THAT(figure.csv, HasSubstr("A3V3,updated,schemamem,96,50,"));
  EXPECT_THAT(figure.script, HasSubstr("models = \"schemamem mamba3 gdn my-gru transformer\""));
}

TEST(Guests, AreModelsOfThePageLikeOurs) {
  const Folders folders;
  const auto ledger = folders.read();
  const auto payload = page_payload(*ledger, paper_subject(*ledger), "report");
  ASSERT_TRUE(payload);
  const auto json = nlohmann::json::parse(*payload);
  ASSERT_EQ(json.at("models").size(), 5U);
  EXPECT_EQ(json.at("models")[3].at("name"), "my-gru");
  EXPECT_EQ(json.at("runs").size(), 9U);
  EXPECT_EQ(json.at("runs")[6].at("status"), "guest");
  EXPECT_EQ(json.at("runs")[6].at("manifest").at("owner"), "somebody");
  std::size_t curves = 0;
  for (const auto& curve : json.at("curves")) curves += curve.at("model") == "my-gru" ? 1 : 0;
  EXPECT_EQ(curves, 4U);
  EXPECT_EQ(json.at("tables").back().at("id"), "guests");
  EXPECT_EQ(json.at("tables").back().at("rows").size(), 10U);
}

TEST(Guests, AloneAreStillAPage) {
  const Folders folders;
  const auto ledger = Ledger::read(std::vector<std::filesystem::path>{folders.folder / "guests"});
  ASSERT_TRUE(ledger) << ledger.error().message();
  const auto json = nlohmann::json::parse(page_payload(*ledger, paper_subject(*ledger), "report").value());
  EXPECT_EQ(json.at("recipes"), nlohmann::json::array({""}));
  EXPECT_EQ(json.at("curves").size(), 8U);
  EXPECT_THAT(choose_recipe(*ledger, {}).error().message(), HasSubstr("guests stand beside runs"));
}

TEST(Guests, AreInNoTableOfALedgerWithoutThem) {
  const TemporaryFolder folder;
  test::write_run(folder.path(), {});
  const auto ledger = Ledger::read(std::vector<std::filesystem::path>{folder.path()});
  ASSERT_TRUE(ledger);
  for (const Table& table : all_tables(*ledger, kSelection)) EXPECT_NE(table.name, "guests");
  for (const Figure& figure : all_figures(*ledger, kSelection)) EXPECT_NE(figure.name, "guests");
  EXPECT_THAT(guest_table(*ledger, kSelection).rows, IsEmpty());
}

TEST(Guests, MayNotBearTheNameOfOneOfOurModelsNorBeThereTwice) {
  const Folders folders;
  const auto refused = folders.read({"my-gru"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kBadData);
  EXPECT_THAT(refused.error().message(), HasSubstr("the guest is called my-gru, as a model of ours is"));
  write_guest(folders.folder / "more", "my-gru", 0, 700);
  const auto twice =
      Ledger::read(std::vector<std::filesystem::path>{folders.folder / "guests", folders.folder / "more"});
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().message(), HasSubstr("are both the guest my-gru A3V3 seed 0"));
}

TEST(Guests, WithARecordOfAnotherAreRefused) {
  const Folders folders;
  const MadeRun other{.model = "other", .recipe = "", .seed = 0, .hash = ""};
  test::add_record(folders.folder / "guests" / "my-gru-A3V3-s0",
                   test::made_record(other, false, kUnseenEvaluationSeed));
  const auto refused = folders.read();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("is about other address-value A3V3"));
}

}  // namespace
}  // namespace schemamem
