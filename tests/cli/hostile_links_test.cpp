// Links in a folder that somebody else has made: nothing is written where they lead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/hostile.h"
#include "support/trained_run.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;
using test::HostileEnd;
using test::run_hostile;
using test::short_training;
using test::text_of;
using testing::AllOf;
using testing::HasSubstr;

class HostileLinks : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(run());
    test::write_victim(victim());
    fs::create_directories(other());
  }
  fs::path run() const { return folder_ / "run"; }
  fs::path victim() const { return folder_ / "victim.txt"; }
  fs::path other() const { return folder_ / "other"; }

  /// The call is refused with a code and a reason; what the links lead to is untouched.
  void expect_refused(const std::string& arguments, const std::string& reason, int code = 73) const {
    const HostileEnd told = run_hostile(arguments);
    EXPECT_EQ(told.end, (ProcessEnd{.code = code})) << told.said;
    EXPECT_THAT(told.said, HasSubstr(reason));
    EXPECT_EQ(text_of(victim()), "precious\n");
    EXPECT_TRUE(fs::is_empty(other()));
  }

  TemporaryFolder folder_;
};

constexpr const char* kSymbolic = "a symbolic link is in the way";
constexpr const char* kHard = "the file has other names (hard links)";

TEST_F(HostileLinks, MetricsAndEventsAreNotWrittenThroughASymbolicLink) {
  for (const char* name : {"metrics.jsonl", "events.jsonl"}) {
    fs::create_symlink("../victim.txt", run() / name);
    expect_refused(short_training(run()), kSymbolic);
    fs::remove_all(run());
    fs::create_directories(run());
  }
}

TEST_F(HostileLinks, ALinkToNothingMakesNoFileElsewhere) {
  fs::create_symlink("../other/made", run() / "metrics.jsonl");
  expect_refused(short_training(run()), kSymbolic);
}

TEST_F(HostileLinks, MetricsAreNotWrittenThroughAHardLink) {
  fs::create_hard_link(victim(), run() / "metrics.jsonl");
  expect_refused(short_training(run()), kHard);
}

TEST_F(HostileLinks, TheTensorBoardFileIsNotWrittenThroughALink) {
  const fs::path board = run() / "tensorboard";
  fs::create_directories(board);
  fs::create_symlink("../../victim.txt", board / "events.out.tfevents.schemamem");
  expect_refused(short_training(run()), kSymbolic);
  fs::remove_all(board);
  fs::create_directory_symlink("../other", board);
  expect_refused(short_training(run()), kSymbolic);
}

TEST_F(HostileLinks, CheckpointsAreNotWrittenInALinkedFolder) {
  fs::create_directory_symlink("../other", run() / "checkpoints");
  expect_refused(short_training(run()), "expected a folder of checkpoints, found a link", 65);
}

TEST_F(HostileLinks, OldCheckpointsAreNotRemovedThroughALink) {
  for (const char* name : {"complete.json", "model.safetensors", "state.json"}) test::write_victim(other() / name);
  fs::create_directories(run() / "checkpoints");
  fs::create_directory_symlink("../../other", run() / "checkpoints" / "step-000000099");

  run_hostile(short_training(run()));

  for (const char* name : {"complete.json", "model.safetensors", "state.json"})
    EXPECT_EQ(text_of(other() / name), "precious\n") << name;
}

TEST_F(HostileLinks, AHardLinkedLockIsNotEmptied) {
  fs::create_hard_link(victim(), run() / "lock");
  expect_refused(short_training(run()), kHard);
  EXPECT_EQ(run_hostile("resume " + run().string()).end.signal, 0);
  EXPECT_EQ(text_of(victim()), "precious\n");
}

TEST_F(HostileLinks, EvalNeitherEmptiesAHardLinkedLockNorWritesInALinkedFolder) {
  test::write_run(run());
  const std::string eval = "eval " + run().string() + " --episodes 1 --delays 96 --threads 1";
  fs::create_directories(run() / "evaluations");
  fs::create_hard_link(victim(), run() / "evaluations" / "lock");
  expect_refused(eval, kHard, 0);  // the record is: the result is shown
  fs::remove_all(run() / "evaluations");
  fs::create_directory_symlink("../other", run() / "evaluations");
  expect_refused(eval, kSymbolic, 0);
}

/// A plan of one run.
std::string make_plan(const fs::path& folder) {
  const HostileEnd planned = run_hostile(
      "sweep plan --models schemamem --settings A2V2 --seeds 1 --no-estimate --set batch.episodes=2 --set "
      "validation.every=4 --set validation.episodes=2 --set transactions.limit=8 --out " +
      folder.string());
  require(planned.end == ProcessEnd{}, planned.said);
  return text_of(folder / "sweep.toml");
}

TEST_F(HostileLinks, ASweepsRecipeWhoseNameIsAPathIsRefused) {
  const fs::path sweep = folder_ / "below" / "these" / "sweep";
  std::string plan = make_plan(sweep);
  const std::string name = "name = \"fast\"";
  ASSERT_NE(plan.find(name), std::string::npos) << plan;
  plan.replace(plan.find(name), name.size(), "name = \"x/../../../../escaped\"");
  test::write_victim(sweep / "sweep.toml", plan);

  for (const char* command : {"run", "status", "retry"}) {
    const HostileEnd told = run_hostile("sweep " + std::string(command) + " " + sweep.string());
    EXPECT_EQ(told.end, (ProcessEnd{.code = 65})) << command << told.said;
    EXPECT_THAT(told.said, AllOf(HasSubstr("name of a recipe must be a name"), HasSubstr("escaped")));
  }
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path()))
    EXPECT_EQ(entry.path().string().find("escaped"), std::string::npos) << entry.path();
}

TEST_F(HostileLinks, ASweepsLogIsNotWrittenThroughALink) {
  const fs::path sweep = folder_ / "sweep";
  make_plan(sweep);
  const std::string listed = run_hostile("sweep status --json " + sweep.string()).said;
  const std::size_t begin = listed.find("schemamem-A2V2-");
  const std::string name = listed.substr(begin, listed.find('"', begin) - begin);
  fs::create_directories(sweep / name);
  fs::create_symlink("../../victim.txt", sweep / name / "train.log");
  expect_refused("sweep run " + sweep.string(), kSymbolic);
}

}  // namespace
}  // namespace schemamem
