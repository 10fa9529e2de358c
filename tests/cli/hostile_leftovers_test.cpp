// What killed writers left behind goes, and what is whole is replaced only by what is whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/gnuplot.h"
#include "support/hostile.h"
#include "support/trained_run.h"
#include "system/helper.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;
using test::run_hostile;
using test::text_of;

constexpr const char* kLeftover = ".schemamem-4711-0.tmp";

TEST(Leftovers, InTheFoldersOfEvaluationsGoWithTheNextRecord) {
  const TemporaryFolder folder;
  test::write_run(folder / "run");
  fs::create_directories(folder / "run/evaluations");
  test::write_victim(folder / "run/evaluations" / kLeftover);
  const auto told = run_hostile("eval " + (folder / "run").string() + " --episodes 1 --delays 96 --threads 1");
  ASSERT_EQ(told.end, ProcessEnd{}) << told.said;
  EXPECT_FALSE(fs::exists(folder / "run/evaluations" / kLeftover));
}

TEST(Leftovers, InTheFoldersOfCheckpointsGoWithTheNextStart) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_hostile(test::short_training(folder / "run")).end, (ProcessEnd{.code = 2}));
  const fs::path step = folder / "run/checkpoints/step-000000008";
  ASSERT_TRUE(fs::exists(step / "complete.json"));
  test::write_victim(step / kLeftover);
  fs::remove(folder / "run/result.json");
  ASSERT_EQ(run_hostile("resume " + (folder / "run").string()).end, (ProcessEnd{.code = 2}));
  EXPECT_FALSE(fs::exists(step / kLeftover));
  EXPECT_TRUE(fs::exists(step / "complete.json"));
}

TEST(Figures, AProgramThatCannotBeLookedAtIsNoneThatDraws) {
  const TemporaryFolder folder;
  fs::create_symlink("gnuplot", folder / "gnuplot");  // a circle
  EXPECT_FALSE(find_program((folder / "gnuplot").string()));
}

TEST(Figures, OneThatCannotBeDrawnLeavesTheEarlierOne) {
  const auto gnuplot = find_program("gnuplot");
  if (!gnuplot) GTEST_SKIP() << "gnuplot is not installed";
  const TemporaryFolder folder;
  test::write_victim(folder / "f.csv", "1,2\n");
  test::write_victim(folder / "f.svg", "the earlier figure");
  test::write_victim(folder / "f.gp", "set terminal svg\nset output \"f.svg\"\nplot x\nnonsense here\n");
  EXPECT_FALSE(draw_figure(*gnuplot, folder.path(), "f", "svg"));
  EXPECT_EQ(text_of(folder / "f.svg"), "the earlier figure");
  test::write_victim(folder / "f.gp", "set terminal svg\nset output \"f.svg\"\nplot x\n");
  EXPECT_TRUE(draw_figure(*gnuplot, folder.path(), "f", "svg"));
  EXPECT_NE(text_of(folder / "f.svg").find("<svg"), std::string::npos);
}

TEST(Figures, OneIsNotDrawnThroughALink) {
  const auto gnuplot = find_program("gnuplot");
  if (!gnuplot) GTEST_SKIP() << "gnuplot is not installed";
  const TemporaryFolder folder;
  test::write_victim(folder / "victim");
  fs::create_symlink("victim", folder / "f.svg");
  test::write_victim(folder / "f.csv", "1,2\n");
  test::write_victim(folder / "f.gp", "set terminal svg\nset output \"f.svg\"\nplot x\n");
  EXPECT_TRUE(draw_figure(*gnuplot, folder.path(), "f", "svg"));
  EXPECT_EQ(text_of(folder / "victim"), "precious\n");
}

}  // namespace
}  // namespace schemamem
