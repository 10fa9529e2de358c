#include "paper/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "support/made_runs.h"

namespace schemamem {
namespace {

using testing::HasSubstr;

TEST(PaperFolder, HasEveryTableInThreeFormatsAndEveryFigureAsDataAndScript) {
  const TemporaryFolder folder;
  test::write_run(folder.path(), {});
  const Ledger ledger = Ledger::read(std::vector{folder.path()}).value();
  const auto tables = all_tables(ledger, {.recipe = "fast"});
  const auto figures = all_figures(ledger, {.recipe = "fast"});
  EXPECT_EQ(tables.size(), 14U);  // eight, the text's, five of ours
  std::set<std::string> places;
  for (const auto& files : {table_files(tables), figure_files(figures)}) {
    for (const PaperFile& file : files) {
      EXPECT_TRUE(places.insert(file.place.string()).second) << file.place;
      EXPECT_FALSE(file.text.empty()) << file.place;
    }
  }
  EXPECT_EQ(places.size(), 3 * tables.size() + 2 * figures.size());
  for (const char* place : {"tables/cost.md", "tables/cost.tex", "tables/far.csv", "figures/delay.gp"})
    EXPECT_TRUE(places.contains(place)) << place;
}

TEST(PaperFolder, TheOverviewHasTheVerdictsEveryFigureAndEveryTable) {
  const TemporaryFolder folder;
  test::write_run(folder.path(), {});
  const Ledger ledger = Ledger::read(std::vector{folder.path()}).value();
  const Selection selection{.recipe = "fast"};
  const auto tables = all_tables(ledger, selection);
  const auto figures = all_figures(ledger, selection);
  const std::string text = paper_overview(ledger, selection, tables, figures, diff(ledger, selection));
  EXPECT_THAT(text, HasSubstr("Recipe fast, evaluation seed 20261001. Made by `schemamem paper all` from 1 runs."));
  EXPECT_THAT(text, HasSubstr("Furthest on the bad side"));
  for (const Figure& figure : figures) EXPECT_THAT(text, HasSubstr("](figures/" + figure.name + ".svg)"));
  for (const Table& table : tables) EXPECT_THAT(text, HasSubstr(markdown(table)));
}

TEST(PaperFolder, RunsOfOtherTasksAndSizesChangeNothingButANote) {
  const TemporaryFolder folder;
  test::write_run(folder / "runs", {});
  const Selection selection{.recipe = "fast"};
  const auto texts = [&](const Ledger& ledger) {
    std::string all = diff_json(diff(ledger, selection));
    for (const PaperFile& file : table_files(all_tables(ledger, selection))) all += file.text;
    for (const PaperFile& file : figure_files(all_figures(ledger, selection))) all += file.text;
    return all;
  };
  const Ledger alone = Ledger::read(std::vector{folder / "runs"}).value();
  test::write_mqar_run(folder / "others", {});
  test::write_run(folder / "others", {.seed = 43, .hash = "11111111", .set = {{"slots", "16"}}});
  const Ledger both = Ledger::read(std::vector{folder / "runs", folder / "others"}).value();
  EXPECT_EQ(texts(both), texts(alone));
  EXPECT_EQ(left_out_note(alone, selection), "");
  EXPECT_THAT(paper_overview(both, selection, {}, {}, {}),
              HasSubstr("from 1 runs. Left out: 2 runs of other tasks or of models of other sizes.\n"));
}

}  // namespace
}  // namespace schemamem
