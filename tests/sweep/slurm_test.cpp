#include "sweep/slurm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "support/claims.h"
#include "support/surroundings.h"
#include "support/temporary_folder.h"
#include "sweep/evaluations.h"
#include "system/files.h"

namespace schemamem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

/// A sweep of three runs, and programs in the place of Slurm's that do what scripts say. `sbatch` puts every element
/// of its script into the queue, which is a file.
struct Cluster {
  Cluster() {
    std::filesystem::create_directories(folder / "bin");
    std::filesystem::create_directories(folder / "s");
    program("squeue", "cat " + queue() + " 2>/dev/null; exit 0");
    program("scontrol", "[ \"$1\" = show ] && echo 'MaxArraySize = 1001'; exit 0");
    program("sacct", "echo 'Slurm accounting storage is disabled' >&2; exit 1");
    program("scancel", "echo \"$@\" >" + (folder / "cancelled").string() + "; rm -f " + queue());
    program("sbatch",
            "shift; name=$(sed -n 's/#SBATCH --job-name=//p' \"$1\")\n"
            "last=$(sed -n 's/#SBATCH --array=0-//p' \"$1\")\n"
            "for i in $(seq 0 ${last%\\%*}); do echo \"17|$i|$name|PENDING|0:00||Priority\"; done >>" +
                queue() + "\necho 17");
  }
  std::string queue() const { return (folder / "queue").string(); }
  void program(const std::string& name, const std::string& script) const {
    std::ofstream(folder / "bin" / name) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(folder / "bin" / name, std::filesystem::perms::owner_all);
  }
  SweepRuns runs() const {
    SweepRuns runs(folder / "s", sweep_cells(plan));
    runs.look();
    return runs;
  }
  Result<Slurm::Submitted> submit() const { return Slurm::submit(runs(), plan, job); }
  std::vector<SlurmSubmission> submissions() const { return read_submissions(folder / "s").value(); }

  TemporaryFolder folder;
  test::Variable path{"PATH", (folder / "bin").string() + ":" + ::getenv("PATH")};
  SweepPlan plan{.models = {{"gdn"}},
                 .tasks = parse_tasks("address-value", "A2V2").value(),
                 .seeds = {1, 2, 3},
                 .recipes = parse_recipes("fast", {}).value()};
  Slurm::Job job{.request = {}, .evaluate = false, .isa = "baseline", .program = "/opt/schemamem"};
};

TEST(Slurm, WhatIsMissingIsSubmittedOnceHoweverOftenOneAsks) {
  const Cluster cluster;
  const auto first = cluster.submit();
  ASSERT_TRUE(first) << first.error().message();
  EXPECT_EQ(first->job, 17);
  EXPECT_EQ(first->runs, 3U);
  EXPECT_EQ(first->parts, 3U);
  const auto second = cluster.submit();
  ASSERT_TRUE(second) << second.error().message();
  EXPECT_EQ(second->job, 0);
  EXPECT_EQ(second->queued, 3U);
  EXPECT_THAT(cluster.submissions(), SizeIs(1));
  EXPECT_EQ(cluster.submissions().front().job, 17);
}

TEST(Slurm, TwoWhoSubmitAtOnceSubmitEveryRunOnce) {
  const Cluster cluster;
  std::vector<std::thread> hands;
  std::atomic<std::size_t> runs = 0;
  for (int i = 0; i < 4; ++i) {
    hands.emplace_back([&] {
      for (;;) {
        const auto submitted = cluster.submit();
        if (submitted) {
          runs += submitted->runs;
          return;
        }
        ASSERT_THAT(submitted.error().message(), HasSubstr("in use by"));
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    });
  }
  for (std::thread& hand : hands) hand.join();
  EXPECT_EQ(runs, 3U);
}

TEST(Slurm, OnlyWhatNobodyHasIsSubmitted) {
  const Cluster cluster;
  const SweepRuns runs = cluster.runs();
  std::filesystem::create_directories(runs.run(0));
  test::put_claim(runs.run(0), 1, test::claim_of_another_host(std::chrono::seconds(10)).line());
  std::filesystem::create_directories(runs.run(1));
  ASSERT_TRUE(mark_failed(runs.run(1), 65, "broken"));
  const auto submitted = cluster.submit();
  ASSERT_TRUE(submitted) << submitted.error().message();
  EXPECT_THAT(cluster.submissions().front().parts, ElementsAre(ElementsAre(runs.cells()[2].name)))
      << "one is at work elsewhere, one has failed";
}

TEST(Slurm, AnEndedRunWithoutItsEvaluationIsMissingWhereThatIsAskedFor) {
  Cluster cluster;
  const SweepRuns runs = cluster.runs();
  for (std::size_t i = 0; i < 3; ++i) {
    const SweepCell& cell = runs.cells()[i];
    ASSERT_TRUE(make_directories(runs.run(i) / "evaluations"));
    ASSERT_TRUE(settle_manifest(*make_model(cell.request).value(), cell.request,
                                {.folder = runs.run(i), .environment = {}}, posix_files()));
    ASSERT_TRUE(write_result(cell.request, {.status = "passed", .steps = 9, .seconds = 5, .passed = {}}, "",
                             runs.run(i), posix_files()));
    if (i == 1) continue;
    for (const WantedEvaluation& wanted : wanted_evaluations(cell))
      std::ofstream(runs.run(i) / "evaluations" / (wanted.prefix + "1-1.json")) << "{}";
  }
  EXPECT_EQ(cluster.submit()->job, 0);
  cluster.job.evaluate = true;
  const auto submitted = cluster.submit();
  ASSERT_TRUE(submitted) << submitted.error().message();
  EXPECT_THAT(cluster.submissions().front().parts, ElementsAre(ElementsAre(runs.cells()[1].name)));
}

TEST(Slurm, AQueueThatDoesNotAnswerIsNoEmptyOne) {
  const Cluster cluster;
  ASSERT_TRUE(cluster.submit());
  cluster.program("squeue", "echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1");
  const auto again = cluster.submit();
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind(), ErrorKind::kFailed);
  EXPECT_THAT(again.error().message(), HasSubstr("squeue failed (exit code 1): slurm_load_jobs error"));
  cluster.program("squeue", "echo garbage");
  EXPECT_EQ(cluster.submit().error().kind(), ErrorKind::kBadData);
  const test::Variable nowhere("PATH", "/nowhere");
  EXPECT_EQ(cluster.submit().error().kind(), ErrorKind::kMissingInput);
}

TEST(Slurm, ARefusedSubmissionLeavesNothing) {
  const Cluster cluster;
  cluster.program("sbatch", "echo 'sbatch: error: invalid partition' >&2; echo no >&2; exit 1");
  const auto refused = cluster.submit();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("exit code 1): sbatch: error: invalid partition; no"));
  EXPECT_THAT(cluster.submissions(), IsEmpty());
}

TEST(Slurm, ElementsHaveSeveralRunsWhereThatWasAskedOrTheArrayWouldBeTooLong) {
  Cluster cluster;
  cluster.program("scontrol", "echo 'MaxArraySize = 3'");
  ASSERT_TRUE(cluster.submit());
  EXPECT_THAT(cluster.submissions().front().parts, ElementsAre(SizeIs(2), SizeIs(1)));
}

TEST(Slurm, APartTrainsWhatItWasMadeForWhateverBecameOfThePlan) {
  Cluster cluster;
  ASSERT_TRUE(cluster.submit());
  const std::string before = cluster.runs().cells()[1].name;
  cluster.plan.seeds = {9, 8};
  ASSERT_TRUE(write_file_atomically(cluster.folder / "s" / kSweepFile, sweep_toml(cluster.plan)));
  const auto part = part_runs(cluster.submissions().front(), 1);
  ASSERT_TRUE(part) << part.error().message();
  ASSERT_THAT(part->cells(), SizeIs(1));
  EXPECT_EQ(part->cells().front().name, before);
  EXPECT_EQ(part->cells().front().request.seed, 2U);
  EXPECT_EQ(part->run(0), cluster.folder / "s" / before);
  EXPECT_EQ(part_runs(cluster.submissions().front(), 3).error().kind(), ErrorKind::kUsage);
}

TEST(Slurm, TellsWhereRunsAreAndHowTheirElementsEnded) {
  const Cluster cluster;
  ASSERT_TRUE(cluster.submit());
  const auto runs = cluster.runs();
  std::ofstream(cluster.queue()) << "17|2|" << cluster.submissions().front().name << "|RUNNING|0:07|node7|None\n"
                                 << "99|0|somebody-elses|RUNNING|0:07|node7|None\n";
  cluster.program("scontrol",
                  "echo 'JobId=18 ArrayJobId=17 ArrayTaskId=1 JobState=TIMEOUT ExitCode=0:15 RunTime=1 NodeList=n'");
  const auto places = Slurm::look(cluster.submissions());
  ASSERT_TRUE(places) << places.error().message();
  EXPECT_THAT(places->queued, SizeIs(1));
  EXPECT_EQ(places->queued.at(runs.cells()[2].name).node, "node7");
  EXPECT_EQ(places->ended.at(runs.cells()[1].name).state, "TIMEOUT");
  cluster.program("sacct", "echo '17_1|NODE_FAIL|00:00:01|n|0:0'");
  EXPECT_EQ(Slurm::look(cluster.submissions())->ended.at(runs.cells()[1].name).state, "NODE_FAIL") << "accounts first";
}

TEST(Slurm, CancelsItsOwnArraysAndNoOthers) {
  const Cluster cluster;
  ASSERT_TRUE(cluster.submit());
  std::ofstream(cluster.queue(), std::ios::app) << "99|0|somebody-elses|RUNNING|0:07|node7|None\n";
  const auto cancelled = Slurm::cancel(cluster.submissions());
  ASSERT_TRUE(cancelled) << cancelled.error().message();
  EXPECT_EQ(*cancelled, 3U);
  EXPECT_EQ(read_text_file(cluster.folder / "cancelled", 100).value(), "17\n");
  EXPECT_EQ(*Slurm::cancel(cluster.submissions()), 0U);
}

TEST(Slurm, ADryRunPrintsTheScriptAndWritesNothing) {
  const Cluster cluster;
  const auto script = Slurm::dry_run(cluster.runs(), cluster.job);
  ASSERT_TRUE(script) << script.error().message();
  EXPECT_THAT(script->value(), HasSubstr("--array=0-2\n"));
  EXPECT_TRUE(is_absent(cluster.folder / "s" / kSlurmFolder));
}

}  // namespace
}  // namespace schemamem
