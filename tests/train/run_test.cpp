#include "train/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "base/file_lock.h"
#include "base/rng.h"
#include "support/failing_files.h"
#include "support/temporary_folder.h"
#include "support/tiny_training.h"
#include "train/checkpoint.h"

namespace schemamem {
namespace {

using test::advance;
using test::fingerprint;
using test::tiny_model;
using test::tiny_request;
using test::tiny_setup;
using testing::HasSubstr;

/// A run through every phase: 9 stages of 6 steps each would need a target that a tiny model does not reach, so that
/// the run ends at the limit of the last transaction stage.
const std::vector<std::string> kLong{"transactions.limit=60"};

struct World {
  std::unique_ptr<SequenceModel<float>> model = tiny_model();
  RunRequest request = tiny_request(kLong);
  TemporaryFolder folder;
  RunObserver silent;

  RunOptions options(const std::string& name, int threads = 1) const {
    return {.folder = folder / name, .threads = threads, .environment = {}};
  }
  Result<RunResult> train(const std::string& name, const StopFlag& stop = StopFlag(false), int threads = 1) {
    return train_run(*model, request, options(name, threads), stop, silent);
  }
  std::string hash(const std::string& name, const std::string& file) const {
    const auto bytes = read_file(folder / name / file, kLargestTensorFile);
    return bytes ? sha256_hex(bytes->span()) : "absent";
  }
  /// Weights, optimiser and metrics of a finished run.
  std::string result_hash(const std::string& name) const {
    const Checkpoints checkpoints(folder / name);
    const auto steps = checkpoints.complete();
    if (steps.empty()) return "no checkpoint";
    const std::string last = "checkpoints/" + checkpoints.folder(steps.front()).filename().string();
    return hash(name, "model.safetensors") + hash(name, last + "/optimizer.safetensors") + hash(name, "metrics.jsonl");
  }
};

/// Stops a run after a given number of steps.
class StopAfter final : public RunObserver {
 public:
  StopAfter(std::int64_t step, StopFlag& stop) : step_(step), stop_(stop) {}
  void stepped(const Trainer&, const StepReport& report) override {
    if (report.step == step_) stop_ = true;
  }

 private:
  std::int64_t step_;
  StopFlag& stop_;
};

TEST(Run, ReachingTheStepLimitIsToldAndNoSuccess) {
  World world;
  const auto result = world.train("a");
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->status, "step-limit");
  EXPECT_FALSE(result->was_done);
  for (const char* file : {"run.json", "metrics.jsonl", "events.jsonl", "result.json", "model.safetensors"})
    EXPECT_TRUE(std::filesystem::exists(world.folder / "a" / file)) << file;
}

TEST(Run, AFinishedRunIsLeftAlone) {
  World world;
  ASSERT_TRUE(world.train("a"));
  const std::string before = world.result_hash("a") + world.hash("a", "result.json");
  const auto again = world.train("a");
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->was_done);
  EXPECT_EQ(again->status, "step-limit");
  EXPECT_EQ(world.result_hash("a") + world.hash("a", "result.json"), before);
}

TEST(Run, AnotherRunIsNeverOverwritten) {
  World world;
  ASSERT_TRUE(world.train("a"));
  world.request.seed += 1;
  const auto other = world.train("a");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind(), ErrorKind::kCannotCreate);
  EXPECT_THAT(other.error().message(), HasSubstr("never overwritten"));
}

TEST(Run, ASecondProcessIsRefused) {
  World world;
  ASSERT_TRUE(make_directories(world.folder / "a"));
  const auto lock = FileLock::acquire(world.folder / "a" / "lock");
  ASSERT_TRUE(lock);
  const auto result = world.train("a");
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(), HasSubstr("process " + std::to_string(::getpid())));
}

TEST(Run, StoppedAtAnyStepAndResumedItIsTheSameRun) {
  World world;
  ASSERT_TRUE(world.train("whole"));
  const std::string expected = world.result_hash("whole");
  Rng rng = Rng::stream(1, Purpose::kTest, 0);
  for (int attempt = 0; attempt < 4; ++attempt) {
    const std::string name = "part" + std::to_string(attempt);
    for (std::int64_t step = 1;; step += 1 + static_cast<std::int64_t>(rng.below(30))) {
      StopFlag stop{false};
      StopAfter observer(step, stop);
      const auto result = train_run(*world.model, world.request, world.options(name, 1 + attempt % 2), stop, observer);
      if (result) break;
      ASSERT_EQ(result.error().kind(), ErrorKind::kInterrupted) << result.error().message();
    }
    EXPECT_EQ(world.result_hash(name), expected) << attempt;
  }
}

TEST(Run, KilledAtRandomInstantsAndResumedItIsTheSameRun) {
  World world;
  ASSERT_TRUE(world.train("whole"));
  const std::string expected = world.result_hash("whole");
  Rng rng = Rng::stream(2, Purpose::kTest, 0);
  constexpr int kKills = 20;
  for (int run = 0, kills = 0; kills < kKills; ++run) {
    const std::string name = "killed" + std::to_string(run);
    for (bool done = false; !done;) {
      const pid_t child = ::fork();
      ASSERT_GE(child, 0);
      if (child == 0) ::_exit(world.train(name) ? 0 : 1);
      if (kills < kKills) {
        std::this_thread::sleep_for(std::chrono::microseconds(500 + rng.below(200'000)));
        ::kill(child, SIGKILL);
      }
      int status = 0;
      ::waitpid(child, &status, 0);
      done = WIFEXITED(status);
      if (done) {
        EXPECT_EQ(WEXITSTATUS(status), 0);
      } else {
        ++kills;
      }
    }
    EXPECT_EQ(world.result_hash(name), expected) << run;
  }
}

TEST(Run, IsReadBackFromItsManifest) {
  World world;
  ASSERT_TRUE(world.train("a"));
  const auto stored = read_run(world.folder / "a");
  ASSERT_TRUE(stored) << stored.error().message();
  EXPECT_EQ(run_hash(stored->request), run_hash(world.request));
  EXPECT_EQ(stored->request.recipe.origin, world.request.recipe.origin);
  EXPECT_EQ(read_run(world.folder / "nowhere").error().kind(), ErrorKind::kMissingInput);
}

TEST(RunHash, ChangesWithEveryFieldOfTheRecipe) {
  const RunRequest request = tiny_request();
  const std::string before = run_hash(request);
  RunRequest other = request;
  other.recipe.recipe.loss.filler += 1e-15;
  EXPECT_NE(run_hash(other), before);
  EXPECT_THAT(run_name(request), testing::MatchesRegex("schemamem-A2V2-fast-s7-[0-9a-f]{8}"));
}

TEST(Checkpoints, WhateverCallOfASaveFailsTheEarlierCheckpointLoads) {
  const auto model = tiny_model();
  for (std::size_t k = 0;; ++k) {
    const TemporaryFolder folder;
    Trainer trainer(*model, tiny_setup(), 1);
    advance(trainer, 3);
    ASSERT_TRUE(Checkpoints(folder.path()).save(take_snapshot(trainer, {.metrics_bytes = 3})));
    const std::string earlier = fingerprint(trainer);
    advance(trainer, 5);
    FailingFiles files(k, ENOSPC, 1000);
    const Status saved = Checkpoints(folder.path(), files).save(take_snapshot(trainer, {.metrics_bytes = 5}));

    Trainer restored(*model, tiny_setup(), 1);
    const auto memory = Checkpoints(folder.path()).load(restored);
    ASSERT_TRUE(memory) << k << ": " << memory.error().message();
    ASSERT_TRUE(memory->has_value()) << k;
    if (saved) {
      EXPECT_EQ(fingerprint(restored), fingerprint(trainer)) << k;
    } else if ((*memory)->metrics_bytes == 3) {
      EXPECT_EQ(fingerprint(restored), earlier) << k;
    } else {  // complete, but the folder's sync failed after the rename
      EXPECT_EQ(fingerprint(restored), fingerprint(trainer)) << k;
    }
    if (!files.failed()) {
      EXPECT_GT(k, 20U);
      break;
    }
  }
}

TEST(Checkpoints, ADamagedOneIsPassedOver) {
  const auto model = tiny_model();
  const TemporaryFolder folder;
  Checkpoints checkpoints(folder.path());
  Trainer trainer(*model, tiny_setup(), 1);
  advance(trainer, 2);
  ASSERT_TRUE(checkpoints.save(take_snapshot(trainer, {})));
  const std::string earlier = fingerprint(trainer);
  advance(trainer, 4);
  ASSERT_TRUE(checkpoints.save(take_snapshot(trainer, {})));
  std::ofstream(checkpoints.folder(4) / "state.json", std::ios::app) << " ";

  Trainer restored(*model, tiny_setup(), 1);
  ASSERT_TRUE(checkpoints.load(restored)->has_value());
  EXPECT_EQ(fingerprint(restored), earlier);
}

TEST(Checkpoints, OnlyTheNewestAreKept) {
  const auto model = tiny_model();
  const TemporaryFolder folder;
  Checkpoints checkpoints(folder.path());
  Trainer trainer(*model, tiny_setup(), 1);
  for (std::int64_t step = 1; step <= 5; ++step) {
    advance(trainer, step);
    ASSERT_TRUE(checkpoints.save(take_snapshot(trainer, {})));
  }
  EXPECT_THAT(checkpoints.complete(), testing::ElementsAre(5, 4));
  EXPECT_FALSE(std::filesystem::exists(checkpoints.folder(3)));
}

TEST(Checkpoints, AnEmptyFolderHasNone) {
  const auto model = tiny_model();
  const TemporaryFolder folder;
  Trainer trainer(*model, tiny_setup(), 1);
  const auto memory = Checkpoints(folder.path()).load(trainer);
  ASSERT_TRUE(memory);
  EXPECT_FALSE(memory->has_value());
}

}  // namespace
}  // namespace schemamem
