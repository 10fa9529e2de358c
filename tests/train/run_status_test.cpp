#include "train/run_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "support/claims.h"
#include "support/temporary_folder.h"
#include "support/tiny_training.h"
#include "system/file_lock.h"

namespace schemamem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct World {
  std::unique_ptr<SequenceModel<float>> model = test::tiny_model();
  RunRequest request = test::tiny_request();
  TemporaryFolder folder;

  class StopAt final : public RunObserver {
   public:
    explicit StopAt(std::int64_t step) : step_(step) {}
    void stepped(const Trainer&, const StepReport& report) override { stop = report.step >= step_; }
    StopFlag stop{false};

   private:
    std::int64_t step_;
  };
  /// Trains until `step` or the end.
  void train(std::int64_t step = INT64_MAX) {
    StopAt observer(step);
    static_cast<void>(train_run(*model, request, {.folder = folder / "run"}, observer.stop, observer));
  }
};

TEST(RunStatus, FollowsARunFromNothingToItsEnd) {
  World world;
  RunFollower follower(world.folder / "run");
  EXPECT_EQ(follower.look().state, RunState::kWaiting);

  world.train(27);
  EXPECT_EQ(follower.look().state, RunState::kStopped);
  EXPECT_EQ(run_hash(*follower.request()), run_hash(world.request));
  const RunProgress& progress = follower.look().progress;
  EXPECT_EQ(progress.step, 25);  // the last that was logged
  EXPECT_EQ(progress.stage, "transactions-half");
  EXPECT_EQ(progress.stage_number, 5U);
  EXPECT_EQ(progress.stage_step, 1);
  EXPECT_EQ(progress.stages, 10U);
  EXPECT_EQ(progress.check->stage, "transactions-quarter");
  EXPECT_EQ(progress.check->step, 24);
  EXPECT_EQ(progress.steps_to_check, 5);
  EXPECT_EQ(progress.checkpoint, 27);
  EXPECT_GT(progress.loss, 0);

  world.train();
  EXPECT_EQ(follower.look().state, RunState::kStepLimit);
  EXPECT_GT(follower.look().seconds, 0);
}

TEST(RunStatus, ALockThatIsHeldMeansRunning) {
  World world;
  world.train(7);
  RunFollower follower(world.folder / "run");
  {
    const auto lock = FileLock::acquire(world.folder / "run" / "lock");
    ASSERT_TRUE(lock);
    EXPECT_EQ(follower.look().state, RunState::kRunning);
    EXPECT_THAT(follower.look().message, HasSubstr("process "));
  }
  EXPECT_EQ(follower.look().state, RunState::kStopped);
}

TEST(RunStatus, SurvivesHalfWrittenDamagedAndCutFiles) {
  World world;
  world.train(27);
  RunFollower follower(world.folder / "run");
  const std::int64_t step = follower.look().progress.step;
  std::ofstream(world.folder / "run" / "metrics.jsonl", std::ios::app) << R"({"step":9999,"loss":0.)";
  EXPECT_EQ(follower.look().progress.step, step);
  std::ofstream(world.folder / "run" / "metrics.jsonl", std::ios::app)
      << "\n{\"step\":\"many\",\"loss\":[],\"check\":7,\"groups\":4,\"slots_used\":{}}\n\xff\xfe\n";
  EXPECT_EQ(follower.look().state, RunState::kStopped);
  std::filesystem::resize_file(world.folder / "run" / "metrics.jsonl", 0);
  EXPECT_EQ(follower.look().progress.step, 0);
  std::filesystem::remove(world.folder / "run" / "metrics.jsonl");
  std::filesystem::remove(world.folder / "run" / "events.jsonl");
  EXPECT_EQ(follower.look().state, RunState::kStopped);
  std::filesystem::remove_all(world.folder / "run");
  EXPECT_EQ(follower.look().state, RunState::kWaiting);
}

TEST(RunStatus, AFailedRunSaysWhyUntilTheMarkIsRemoved) {
  World world;
  world.train(7);
  RunFollower follower(world.folder / "run");
  ASSERT_TRUE(mark_failed(world.folder / "run", 76, "NaN at step 8"));
  EXPECT_EQ(follower.look().state, RunState::kFailed);
  EXPECT_EQ(follower.look().message, "NaN at step 8");
  EXPECT_TRUE(unmark_failed(world.folder / "run"));
  EXPECT_FALSE(unmark_failed(world.folder / "run"));
  EXPECT_EQ(follower.look().state, RunState::kStopped);
  ASSERT_TRUE(mark_failed(world.folder / "run", 73, "no room for a manifest"));
  std::filesystem::remove(world.folder / "run" / "run.json");
  EXPECT_EQ(follower.look().state, RunState::kFailed);
}

TEST(RunStatus, CommittedResultsNeedNoCheckpoints) {
  World world;
  world.train();
  std::filesystem::remove_all(world.folder / "run" / "checkpoints");
  std::filesystem::remove(world.folder / "run" / "lock");
  std::filesystem::remove(world.folder / "run" / "events.jsonl");
  EXPECT_EQ(RunFollower(world.folder / "run").look().state, RunState::kStepLimit);
}

TEST(RunStatus, AResultOfAnotherRunDoesNotCount) {
  World world;
  world.train();
  std::ofstream(world.folder / "run" / "result.json")
      << R"({"hash":"00000000","status":"passed","steps":1,"seconds":1})";
  EXPECT_EQ(RunFollower(world.folder / "run").look().state, RunState::kStopped);
}

TEST(RunStatus, AClaimOfAnotherHostMeansRunningUntilItWasSilentForTooLong) {
  World world;
  world.train(12);
  const ClaimText claim = test::claim_of_another_host();
  test::put_claim(world.folder / "run", 1, claim.line());
  RunFollower follower(world.folder / "run");
  EXPECT_EQ(follower.look().state, RunState::kRunning);
  EXPECT_THAT(follower.look().message, HasSubstr("on elsewhere since 2026-01-31T12:00:00Z, as it says"));
  std::this_thread::sleep_for(kSilentBeats * claim.beat + std::chrono::milliseconds(1));
  EXPECT_EQ(follower.look().state, RunState::kStopped);
  test::put_claim(world.folder / "run", 1, "no claim");
  EXPECT_THAT(follower.look().trouble.value().message(), HasSubstr("is no claim"));
}

}  // namespace
}  // namespace schemamem
