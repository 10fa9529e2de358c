#include "sweep/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "models/registry.h"
#include "support/temporary_folder.h"
#include "system/files.h"

namespace schemamem {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const StopFlag kNever{false};

/// Two runs, and a program that does what a shell script says instead of training.
struct Sweep {
  explicit Sweep(const std::string& script) {
    std::ofstream(folder / "program") << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(folder / "program", std::filesystem::perms::owner_all);
    options.program = folder / "program";
  }

  TemporaryFolder folder;
  SweepPlan plan{.models = {{"gdn"}},
                 .tasks = parse_tasks("address-value", "A2V2").value(),
                 .seeds = {1, 2},
                 .recipes = parse_recipes("fast", {}).value()};
  SweepRuns runs{folder / "s", sweep_cells(plan)};
  PoolOptions options;
};

struct Told : PoolObserver {
  void started(std::size_t, const std::string& work) override { works.push_back(work); }
  void ended(std::size_t, const std::string&, const std::string& how) override { ends.push_back(how); }
  std::vector<std::string> works, ends;
};

TEST(SweepPool, MarksRunsThatFailWithWhatTheySaidLastAndTriesThemOnce) {
  Sweep sweep("echo 'error: no such thing' >&2; exit 65");
  Told told;
  const Status done = SweepPool(sweep.runs, sweep.options, told).run(kNever);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind(), ErrorKind::kFailed);
  EXPECT_THAT(done.error().message(), AllOf(HasSubstr("2 of 2 runs failed"), HasSubstr("sweep retry")));
  EXPECT_THAT(told.works, ElementsAre("train", "train"));
  EXPECT_THAT(told.ends.front(), HasSubstr("exit code 65: no such thing"));
  EXPECT_EQ(sweep.runs.status(0).state, RunState::kFailed);
  EXPECT_THAT(sweep.runs.status(0).message, HasSubstr("no such thing"));
}

TEST(SweepPool, StartsARunThatIsStoppedThreeTimesAtMost) {
  Sweep sweep("exit 75");
  Told told;
  const Status done = SweepPool(sweep.runs, sweep.options, told).run(kNever);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind(), ErrorKind::kInterrupted);
  EXPECT_EQ(told.works.size(), 6U);
  EXPECT_EQ(sweep.runs.missing(), 2U);
}

TEST(SweepPool, StopsEverythingWhenTheDiskFails) {
  Sweep sweep("exit 74");
  Told told;
  EXPECT_EQ(SweepPool(sweep.runs, sweep.options, told).run(kNever).error().kind(), ErrorKind::kInputOutput);
  EXPECT_EQ(told.works.size(), 1U);
}

TEST(SweepPool, CountsEvaluationsAsLeftAndTimesThemByThoseThatHaveEnded) {
  Sweep sweep("sleep 0.2");
  for (std::size_t i = 0; i < 2; ++i) {
    const SweepCell& cell = sweep.runs.cells()[i];
    const auto model = make_model(cell.request).value();
    const RunOptions options{.folder = sweep.runs.run(i), .environment = {}};
    ASSERT_TRUE(make_directories(options.folder));
    ASSERT_TRUE(settle_manifest(*model, cell.request, options, posix_files()));
    ASSERT_TRUE(write_result(cell.request, {.status = "passed", .steps = 9, .seconds = 5, .passed = {}}, "",
                             options.folder, posix_files()));
  }
  sweep.options.evaluate = true;
  sweep.options.jobs = 1;
  struct Looks : PoolObserver {
    void ticked() override { seen.push_back(pool->left()); }
    const SweepPool* pool = nullptr;
    std::vector<SweepPool::Left> seen;
  } looks;
  const std::size_t kinds = model_entry("gdn")->traits.ablation ? 2 : 1;
  SweepPool pool(sweep.runs, sweep.options, looks);
  looks.pool = &pool;
  const Status done = pool.run(kNever);
  ASSERT_TRUE(done) << done.error().message();
  ASSERT_FALSE(looks.seen.empty());
  EXPECT_EQ(looks.seen.front().evaluations, kinds * 2);
  EXPECT_EQ(looks.seen.front().evaluations_not_timed, kinds * 2);
  const auto timed = std::find_if(looks.seen.begin(), looks.seen.end(),
                                  [](const SweepPool::Left& left) { return left.evaluations_not_timed == 0; });
  ASSERT_NE(timed, looks.seen.end());
  EXPECT_GT(*timed->seconds, 0);
  EXPECT_EQ(pool.left().evaluations, 0U);
}

TEST(SweepRuns, ForgiveFailedRunsByAPartOfTheirName) {
  Sweep sweep("exit 1");
  Told told;
  EXPECT_FALSE(SweepPool(sweep.runs, sweep.options, told).run(kNever));
  EXPECT_EQ(sweep.runs.forgive({"mamba3"}), 0U);
  EXPECT_EQ(sweep.runs.forgive({"-s2-"}), 1U);
  sweep.runs.look();
  EXPECT_EQ(sweep.runs.missing(), 1U);
  EXPECT_EQ(sweep.runs.forgive({}), 1U);
}

TEST(ShareCores, KeepsWhatWasChosenAndDividesTheRest) {
  const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  EXPECT_EQ(share_cores(3, 5, 1).jobs, 3);
  EXPECT_EQ(share_cores(3, 5, 1).threads, 5);
  EXPECT_EQ(share_cores(0, 0, 0).jobs, 1);
  EXPECT_EQ(share_cores(0, 0, 1).threads, cores);
  EXPECT_EQ(share_cores(0, 0, 1000).jobs, cores);
  EXPECT_EQ(share_cores(0, 0, 1000).threads, 1);
  EXPECT_EQ(share_cores(0, cores, 1000).jobs, 1);
}

}  // namespace
}  // namespace schemamem
