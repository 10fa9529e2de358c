#include "cli/progress_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/text.h"
#include "cli/sweep_view.h"
#include "support/cli.h"
#include "support/temporary_folder.h"
#include "system/files.h"

namespace schemamem {
namespace {

using test::call;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::Le;
using testing::Not;

std::vector<std::size_t> widths(const std::string& text) {
  std::vector<std::size_t> widths;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) widths.push_back(columns(line));
  return widths;
}

RunStatus at_work() {
  RunStatus status;
  status.state = RunState::kRunning;
  status.seconds = 360'000;
  status.progress = {.step = 1'234'567,
                     .stage = "maintenance-384",
                     .stage_number = 10,
                     .stages = 10,
                     .steps_per_second = 12'345,
                     .check = ShownCheck{.step = 1, .stage = "", .lowest = 42.71, .threshold = 95, .whole = false}};
  return status;
}

TEST(RunTable, FitsAPageWithEveryNumberWhole) {
  RunStatus failed;
  failed.state = RunState::kFailed;
  failed.message = "NaN or infinity: a sentence that goes on for so long that it has to be broken before it ends";
  const std::string text = run_table({{"schemamem A5V5 endless s42", at_work()},
                                      {"schemamem:slots=64,width=128,layers=12 A16V16 steady s42", at_work()},
                                      {"gdn A3V3 fast s42", {}},
                                      {"gdn A3V3 fast s43", failed}},
                                     Paint());
  EXPECT_THAT(widths(text), Each(Le(80U))) << text;
  EXPECT_THAT(text, AllOf(HasSubstr("10/10 1234567  ~42.71 %   12345 100:00:00\n"), HasSubstr("waiting"),
                          HasSubstr("has to be broken"), HasSubstr("lowest")));
}

TEST(SweepPicture, FitsAPageForManySeedsAndSettings) {
  const TemporaryFolder folder;
  const auto picture = [&](const std::string& models, const std::string& seeds) {
    const SweepPlan plan{.models = parse_models(models).value(),
                         .tasks = parse_tasks("address-value", "grid").value(),
                         .seeds = parse_seeds(seeds).value(),
                         .recipes = parse_recipes("fast,steady", {}).value()};
    SweepRuns runs(folder / "s", sweep_cells(plan));
    return sweep_picture(runs, Paint());
  };
  for (const char* const seeds : {"42", "42-44", "42-71"}) {
    const std::string text = picture("schemamem,mamba3,gdn", seeds);
    EXPECT_THAT(widths(text), Each(Le(80U))) << text;
  }
  const std::string text = picture("gdn", "42-71");
  std::size_t cells = 0;
  for (std::size_t at = 0; (at = text.find("·", at)) != std::string::npos; ++at) ++cells;
  EXPECT_EQ(cells, 2U * 9 * 30 + 1) << "and one in the legend";
}

TEST(ProgressBlock, SaysHowLongItTakesAtLeastAndAtMost) {
  EXPECT_EQ(left_text(TimeLeft{.expected = 190, .most = 6120}), "about 3:10 left, at most 1:42:00");
  EXPECT_EQ(left_text(TimeLeft{.expected = 45, .most = 45.2}), "0:45 left");
  const std::string block = progress_block("title", at_work().progress, TimeLeft{190, 6120}, Paint());
  EXPECT_THAT(block, HasSubstr("about 3:10 left, at most 1:42:00\n"));
  EXPECT_THAT(widths(block), Each(Le(80U)));
}

TEST(SweepPool, TellsWhatIsLeft) {
  EXPECT_EQ(left_text(SweepPool::Left{}), "time left not known yet");
  EXPECT_EQ(left_text(SweepPool::Left{.seconds = 190}), "about 3:10 left");
  EXPECT_EQ(left_text(SweepPool::Left{.seconds = 190, .evaluations = 4, .evaluations_not_timed = 4}),
            "about 3:10 left and then 4 evaluations");
  EXPECT_EQ(left_text(SweepPool::Left{.seconds = 0, .evaluations = 1, .evaluations_not_timed = 1}),
            "1 evaluation left, not timed yet");
}

TEST(CheckLine, SaysWhichPassAndWhenFewerEpisodesCount) {
  RunProgress progress = at_work().progress;
  progress.check->stage = progress.stage;
  progress.passes = 1;
  progress.passes_needed = 2;
  EXPECT_THAT(check_line(progress, {}), AllOf(HasSubstr("lowest ~42.71 % of 95 %"), HasSubstr("pass 1 of 2")));
  progress.check->whole = true;
  EXPECT_THAT(check_line(progress, TimeLeft{1, 1}), AllOf(Not(HasSubstr("~")), HasSubstr("0:01 left")));
}

TEST(Help, ExplainsWhatTheViewsOfRunsShow) {
  for (const char* const command : {"train", "resume", "watch", "sweep run", "sweep retry"}) {
    EXPECT_THAT(call(std::string(command) + " --help").out,
                AllOf(HasSubstr("What is shown:"), HasSubstr("lowest ~42.71 %"), HasSubstr("pass 1 of 2"),
                      HasSubstr("slots used"), HasSubstr("at most:")))
        << command;
  }
  EXPECT_THAT(call("check --help").out, Not(HasSubstr("What is shown")));
}

TEST(Watch, ShowsTheWholeSweepBeforeAnyOfItHasBegun) {
  const TemporaryFolder folder;
  const std::string sweep = (folder / "s").string();
  ASSERT_EQ(call("sweep plan --models gdn,mamba3 --settings A3V3 --seeds 1-2 --no-estimate --out " + sweep).code, 0);
  const test::Reply shown = call("watch --once " + sweep);
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("gdn A3V3"), HasSubstr("mamba3 A3V3"), HasSubstr("0 of 4 ended: 4 waiting")));
  EXPECT_THAT(call("watch --once --json " + sweep).out, HasSubstr("\"waiting\":4"));
}

}  // namespace
}  // namespace schemamem
