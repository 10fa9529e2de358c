#include "eval/targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "support/temporary_folder.h"
#include "support/trained_run.h"

namespace schemamem {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

class Targets : public testing::Test {
 protected:
  fs::path run(const std::string& name, const test::TrainedRun& about = {}) const {
    test::write_run(folder_ / name, about);
    return folder_ / name / "model.safetensors";
  }
  fs::path unfinished(const std::string& name, const std::string& checkpoint = "") const {
    test::write_manifest(folder_ / name, {});
    if (!checkpoint.empty()) {
      fs::create_directories(folder_ / name / "checkpoints" / checkpoint);
      std::ofstream(folder_ / name / "checkpoints" / checkpoint / "complete.json") << "{}";
    }
    return folder_ / name;
  }
  TemporaryFolder folder_;
};

TEST_F(Targets, ARunACheckpointFolderAndAFileMeanTheirWeights) {
  const fs::path weights = run("one");
  EXPECT_THAT(find_targets(folder_ / "one")->weights, ElementsAre(weights));
  EXPECT_THAT(find_targets(weights)->weights, ElementsAre(weights));
  fs::remove(folder_ / "one" / "run.json");
  EXPECT_THAT(find_targets(folder_ / "one")->weights, ElementsAre(weights));
}

TEST_F(Targets, AFolderOfRunsMeansItsFinishedRuns) {
  const fs::path a = run("all/a"), b = run("all/b");
  unfinished("all/c", "step-000001250");
  fs::create_directories(folder_ / "all" / "notes");
  const auto targets = find_targets(folder_ / "all");
  ASSERT_TRUE(targets);
  EXPECT_THAT(targets->weights, ElementsAre(a, b));
  ASSERT_EQ(targets->skipped.size(), 1U);
  EXPECT_THAT(targets->skipped[0].reason, HasSubstr("step 1250"));
}

TEST_F(Targets, AnUnfinishedRunSaysHowFarItIsAndWhatToDo) {
  const auto some = find_targets(unfinished("some", "step-000001250"));
  ASSERT_FALSE(some);
  EXPECT_EQ(some.error().kind(), ErrorKind::kMissingInput);
  EXPECT_THAT(some.error().message(),
              AllOf(HasSubstr("step 1250"), HasSubstr("schemamem resume"), HasSubstr("checkpoints/step-000001250")));
  EXPECT_THAT(find_targets(unfinished("none")).error().message(), HasSubstr("no checkpoint yet"));
}

TEST_F(Targets, WhatIsNotThereIsAMissingInput) {
  fs::create_directories(folder_ / "empty");
  for (const fs::path& path : {folder_ / "nowhere", folder_ / "empty"})
    EXPECT_EQ(find_targets(path).error().kind(), ErrorKind::kMissingInput);
}

}  // namespace
}  // namespace schemamem
