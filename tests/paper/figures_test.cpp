#include "paper/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/made_runs.h"

namespace schemamem {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Figure> figures(const std::filesystem::path& path) {
  return paper_figures(Ledger::read(std::vector{path}).value(), {.recipe = "fast"});
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST(Figures, AreThoseOfThePaperWithNumbers) {
  const TemporaryFolder folder;
  test::write_grid(folder.path());
  std::vector<std::string> labels;
  for (const Figure& figure : figures(folder.path())) labels.push_back(figure.label);
  EXPECT_THAT(labels, ElementsAre("fig:delay", "fig:all-retention", "fig:all-interference", "fig:all-updated",
                                  "fig:all-default", "fig:drops", "fig:seeds"));
}

TEST(Figures, HaveEveryPointOfOursAndThePapersWhereItHasNumbers) {
  const TemporaryFolder folder;
  test::write_grid(folder.path());
  const auto all = figures(folder.path());
  const std::string& updated = all.at(3).csv;
  EXPECT_EQ(count(updated, ",ours,"), 9U * 3 * 5);     // settings, models, delays
  EXPECT_EQ(count(updated, ",paper,"), 9U * (3 + 1));  // at 1,536, and SchemaMem's at 384
  EXPECT_THAT(updated, HasSubstr("A3V3,updated,schemamem,paper,1536,74.6,5.8,68.8,80.4,3\n"));
  EXPECT_EQ(count(all.at(5).csv, ",paper,"), 9U * 4);  // drops: SchemaMem only
  EXPECT_EQ(count(all.at(6).csv, ",paper,"), 162U);    // 81 runs, two columns
}

TEST(Figures, MarkTheLongestTrainedDelayAndKeepOneStyleAModel) {
  const TemporaryFolder folder;
  test::write_grid(folder.path());
  const std::string script = figures(folder.path()).front().script;
  EXPECT_THAT(script,
              AllOf(HasSubstr("set arrow 1 from 384, graph 0 to 384, graph 1 nohead"), HasSubstr("set logscale x 2"),
                    HasSubstr("set style line 1 lc rgb \"#0072B2\""), HasSubstr("set multiplot layout 4,2")));
}

TEST(Figures, SayWhichRunsAreMissingOrMarked) {
  const TemporaryFolder folder;
  test::write_run(folder.path(), {.status = "step-limit"});
  const std::string script = figures(folder.path()).front().script;
  EXPECT_THAT(script, AllOf(HasSubstr("no runs: M3, GDN   † step limit: SM"), HasSubstr("no runs: SM, M3, GDN")));
}

}  // namespace
}  // namespace schemamem
