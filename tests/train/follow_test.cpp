#include "train/follow.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/run_hashes.h"
#include "support/temporary_folder.h"
#include "support/thread_ranks.h"
#include "support/tiny_training.h"
#include "train/run.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;

/// Notes what it is told, and asks to stop after some steps.
struct Listener final : RunObserver {
  Listener(std::int64_t last_step, StopFlag& stop_flag) : last(last_step), stop(stop_flag) {}
  void stepped(const Trainer&, const StepReport& report) override {
    if (report.step == last) stop = true;
  }
  void warned(const std::string& what) override { warnings.push_back(what); }

  std::int64_t last;
  StopFlag& stop;
  std::vector<std::string> warnings;
};

struct Outcome {
  Result<RunResult> result = Error(ErrorKind::kFailed, "not run");
  std::vector<std::string> warnings{};
};

/// A run in a folder on so many ranks, stopped after a step if that is not 0.
Outcome run_on(int ranks, const fs::path& folder, const RunRequest& request, std::int64_t last = 0) {
  const auto model = make_model(request).value();
  Outcome outcome;
  test::ThreadRanks(ranks).run([&](Ranks& own) {
    StopFlag stop{false};
    if (!own.is_first()) {
      EXPECT_TRUE(follow_run(*model, request, {.folder = {}}, stop, own));
      return;
    }
    Listener listener(last, stop);
    outcome.result = train_run(*model, request, {.folder = folder}, stop, listener, posix_files(), own);
    outcome.warnings = listener.warnings;
  });
  return outcome;
}

RunRequest request_with_lanes() { return test::tiny_request({"lanes.steps=8", "lanes.count=3", "lanes.tokens=16"}); }

TEST(RunOnRanks, StoppedAndContinuedOnAnotherNumberOfThemItHasTheSameFiles) {
  const TemporaryFolder folder(memory_folder());
  const RunRequest request = request_with_lanes();
  const auto model = make_model(request).value();
  const std::size_t stages = make_curriculum(request).size();
  const std::size_t lanes = stages - (request.recipe.recipe.cooldown.steps > 0 ? 2 : 1);
  for (const std::size_t stage : {std::size_t{0}, lanes}) {
    const fs::path whole = folder / fmt::format("whole-{}", stage), parts = folder / fmt::format("parts-{}", stage);
    for (const fs::path& run : {whole, parts}) ASSERT_TRUE(begin_run_at(stage, *model, request, run));
    const auto expected = run_on(1, whole, request).result;
    ASSERT_TRUE(expected) << expected.error().message();
    EXPECT_EQ(run_on(3, parts, request, 3).result.error().kind(), ErrorKind::kInterrupted);
    EXPECT_EQ(run_on(1, parts, request, 5).result.error().kind(), ErrorKind::kInterrupted);
    const auto found = run_on(4, parts, request).result;
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_EQ(found->steps, expected->steps);
    EXPECT_EQ(test::result_hashes(parts), test::result_hashes(whole)) << stage;
  }
}

TEST(RunOnRanks, EndsForAllOfThemWhenThereIsNothingToDoOrRank0CannotBegin) {
  const TemporaryFolder folder(memory_folder());
  const RunRequest request = test::tiny_request();
  ASSERT_TRUE(run_on(2, folder / "run", request).result);
  EXPECT_TRUE(run_on(2, folder / "run", request).result->was_done);
  RunRequest other = request;
  other.seed += 1;
  EXPECT_EQ(run_on(2, folder / "run", other).result.error().kind(), ErrorKind::kCannotCreate);
}

TEST(RunOnRanks, SaysThatSomeHaveNothingToDo) {
  const TemporaryFolder folder(memory_folder());
  const RunRequest request = test::tiny_request({"batch.shards=2"});
  EXPECT_THAT(run_on(2, folder / "enough", request, 1).warnings, testing::IsEmpty());
  EXPECT_THAT(run_on(3, folder / "few", request, 1).warnings,
              testing::ElementsAre(testing::HasSubstr("1 of 3 ranks have no part in the gradient")));
}

}  // namespace
}  // namespace schemamem
