#include "paper/headline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/made_runs.h"

namespace schemamem {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Headline headline_of(const std::filesystem::path& path) { return headline(Ledger::read(std::vector{path}).value()); }

TEST(Headline, SetsEveryRecipeBesideThePaperModelByModel) {
  const TemporaryFolder folder;
  test::write_grid(folder.path());
  const Table table = headline_of(folder.path()).table;
  ASSERT_EQ(table.rows.size(), 6U);
  EXPECT_EQ(table.rows[0][1], "paper as printed");
  EXPECT_EQ(table.rows[1][1], "`fast`");
  EXPECT_EQ(table.rows[1][2], "27");
}

TEST(Headline, AveragesSettingsAndTellsTheWorstAndTheBest) {
  const TemporaryFolder folder;
  for (const auto& [setting, right] : {std::pair{"A3V3", 1000}, std::pair{"A4V4", 500}})
    test::write_run(folder.path(), {.setting = setting, .per_mille = [right = right](auto&&...) { return right; }});
  const Table table = headline_of(folder.path()).table;
  EXPECT_THAT(table.records, Contains(ElementsAre("schemamem", "fast", "1536", "updated", "2", "75", "50", "100")));
  EXPECT_EQ(table.rows[1].back(), "75.0 / 75.0 / 75.0 / 75.0 (2 of 27 runs)");
}

TEST(Headline, DrawsARowOfPanelsARecipe) {
  const TemporaryFolder folder;
  test::write_run(folder.path(), {.recipe = "fast"});
  test::write_run(folder.path(), {.recipe = "steady", .hash = "00000001"});
  const Figure figure = headline_of(folder.path()).figure;
  EXPECT_THAT(figure.script,
              AllOf(HasSubstr("layout 2,4"), HasSubstr("recipe fast (%)"), HasSubstr("recipe steady (%)")));
  EXPECT_THAT(figure.csv, AllOf(HasSubstr("schemamem,steady,1536,updated,1,50,50,50"), HasSubstr("paper as printed")));
}

TEST(Headline, DrawsALineOnlyThroughMeansOverTheSameSettings) {
  const TemporaryFolder folder;
  for (const char* setting : {"A3V3", "A4V4"}) test::write_run(folder.path(), {.setting = setting});
  test::write_run(folder.path(), {.model = "gdn"});
  EXPECT_THAT(headline_of(folder.path()).figure.script,
              AllOf(HasSubstr("whole(i, \"fast\", \"updated\", \"2 0 1\") ? $3 : NaN):6 with linespoints"),
                    HasSubstr("part(i, \"fast\", \"updated\", \"2 0 1\") ? $3 : NaN):6 with points")));
}

TEST(Headline, DrawsNoEmptyRowForARecipeThatIsStillTraining) {
  const TemporaryFolder folder;
  test::write_bare_run(folder.path(), {.recipe = "paper", .hash = "00000002", .status = ""});
  EXPECT_THAT(headline_of(folder.path()).figure.script, HasSubstr("layout 1,4")) << "the paper's own points";
  test::write_run(folder.path(), {.recipe = "fast"});
  EXPECT_THAT(headline_of(folder.path()).figure.script, AllOf(HasSubstr("layout 1,4"), Not(HasSubstr("recipe paper"))));
}

TEST(Headline, InBriefShowsOneScoreWhereTheGridIsWhole) {
  const TemporaryFolder folder;
  test::write_grid(folder.path());
  test::write_run(folder.path(), {.recipe = "steady", .hash = "00000001"});  // one run is no grid
  const Ledger ledger = Ledger::read(std::vector{folder.path()}).value();
  const auto [table, figure] = brief_headline(ledger);
  ASSERT_EQ(table.rows.size(), 3U);
  ASSERT_EQ(table.headings.size(), 3U);
  EXPECT_EQ(table.headings[1].name, "paper, 1,536");
  EXPECT_EQ(table.headings[2].name, "`fast`, 1,536");
  const Table whole = headline(ledger).table;
  for (const auto& record : table.records) EXPECT_THAT(whole.records, Contains(record)) << "the same numbers";
  EXPECT_THAT(figure.script, AllOf(HasSubstr("layout 1,1"), HasSubstr("recipe fast"), Not(HasSubstr("steady"))));
}

TEST(Headline, ReplacesWhatStandsBetweenItsMarks) {
  const std::string begin = "<!-- headline: `make results` writes what follows -->", end = "<!-- end of headline -->";
  const auto changed = with_headline("a\n" + begin + "\nold\n" + end + "\nb\n", "new\n", "README.md");
  ASSERT_TRUE(changed);
  EXPECT_EQ(*changed, "a\n" + begin + "\n\nnew\n\n" + end + "\nb\n");
  EXPECT_EQ(*with_headline(*changed, "new\n", "README.md"), *changed);
  const auto refused = with_headline(end + begin, "new", "README.md");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kBadData);
  EXPECT_THAT(refused.error().message(), AllOf(HasSubstr("README.md"), Not(HasSubstr("new"))));
}

}  // namespace
}  // namespace schemamem
