#include "catalog/find_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "support/surroundings.h"
#include "support/temporary_folder.h"
#include "support/trained_run.h"

namespace schemamem {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

class FindModel : public testing::Test {
 protected:
  fs::path run(const std::string& name, const test::TrainedRun& about = {}) const {
    test::write_run(folder_ / name, about);
    return folder_ / name / "model.safetensors";
  }
  fs::path file(const std::string& name) const {
    test::write_weights(folder_ / name, {}, test::TrainedRun().metadata());
    return folder_ / name;
  }
  fs::path unfinished(const std::string& name, const std::string& checkpoint = "") const {
    test::write_manifest(folder_ / name, {});
    if (!checkpoint.empty()) {
      fs::create_directories(folder_ / name / "checkpoints" / checkpoint);
      std::ofstream(folder_ / name / "checkpoints" / checkpoint / "complete.json") << "{}";
    }
    return folder_ / name;
  }
  Result<fs::path> find(const std::string& name, const std::vector<std::string>& places = {"results"}) const {
    std::vector<fs::path> folders;
    for (const std::string& place : places) folders.push_back(folder_ / place);
    return find_model(name, folders);
  }
  TemporaryFolder folder_;
};

TEST_F(FindModel, KnowsARunByWhatItsManifestSays) {
  const fs::path x = run("results/steady/x", {.recipe = "steady"});
  const fs::path y = run("results/fast/y", {.model = "gdn", .seed = 43});
  const fs::path z = run("results/z", {.setting = {3, 3}});
  EXPECT_EQ(find("a2v2-schemamem-steady-s42").value(), x);
  EXPECT_EQ(find("A2V2-GDN-Fast-S43").value(), y);
  EXPECT_EQ(find("a3v3-schemamem-fast-s42").value(), z);
  EXPECT_EQ(find("a3v3-schemamem-fast-s42", {"results/z"}).value(), z);
}

TEST_F(FindModel, KnowsAFileByItsName) {
  const fs::path mine = file("models/Mine.safetensors");
  EXPECT_EQ(find("mine", {"models"}).value(), mine);
  EXPECT_EQ(find("MINE", {"models"}).value(), mine);
}

TEST_F(FindModel, TakesTheFirstPlaceThatHasTheName) {
  const fs::path other = file("b/a2v2-schemamem-fast-s42.safetensors"), later = run("c/x");
  EXPECT_EQ(find("a2v2-schemamem-fast-s42", {"absent", "b", "c"}).value(), other);
  EXPECT_EQ(find("a2v2-schemamem-fast-s42", {"c", "b"}).value(), later);
  const fs::path first = run("a/y");
  EXPECT_EQ(find("a2v2-schemamem-fast-s42", {"a", "b", "c"}).value(), first);
}

TEST_F(FindModel, ANameThatIsNowhereIsToldWithNamesLikeItAndThePlaces) {
  run("results/steady/x", {.recipe = "steady"});
  file("models/mine.safetensors");
  const auto typo = find("a2v2-schemamem-stedy-s42", {"models", "results", "absent"});
  ASSERT_FALSE(typo);
  EXPECT_EQ(typo.error().kind(), ErrorKind::kUsage);
  EXPECT_THAT(typo.error().message(),
              AllOf(HasSubstr("Did you mean \"a2v2-schemamem-steady-s42\"?"), HasSubstr("mine"),
                    HasSubstr((folder_ / "models").string()), HasSubstr((folder_ / "absent").string())));

  const auto nothing = find("x", {"nowhere"});
  EXPECT_EQ(nothing.error().kind(), ErrorKind::kMissingInput);
  EXPECT_THAT(nothing.error().message(),
              AllOf(HasSubstr((folder_ / "nowhere").string()), HasSubstr("SCHEMAMEM_MODELS")));
}

TEST_F(FindModel, ATypoInTheNameOfOneOfManyRunsListsNotAllOfThem) {
  for (std::uint64_t seed = 100; seed < 120; ++seed)
    test::write_manifest(folder_ / "results" / std::to_string(seed), {.seed = seed});
  const auto typo = find("a2v2-schemamem-fats-s107");
  ASSERT_FALSE(typo);
  EXPECT_THAT(typo.error().message(), AllOf(HasSubstr("20 names are setting-model-recipe-seed"),
                                            HasSubstr("Did you mean \"a2v2-schemamem-fast-s107\"?"),
                                            Not(HasSubstr("a2v2-schemamem-fast-s108"))));
}

TEST_F(FindModel, ANameThatTwoHaveInOnePlaceIsRefused) {
  run("results/steady/x");
  run("results/fast/twin");
  const auto both = find("a2v2-schemamem-fast-s42");
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().kind(), ErrorKind::kUsage);
  EXPECT_THAT(both.error().message(), AllOf(HasSubstr("2 models"), HasSubstr("steady/x"), HasSubstr("fast/twin")));
}

TEST_F(FindModel, WhatLooksLikeAPathIsOne) {
  const fs::path weights = run("one");
  EXPECT_EQ(find((folder_ / "one").string()).value(), weights);
  EXPECT_EQ(find(weights.string()).value(), weights);
  const test::CurrentFolder here(folder_.path());
  EXPECT_EQ(find("one").value(), "one/model.safetensors");
  EXPECT_EQ(find("./one").value(), "./one/model.safetensors");
  for (const char* const absent : {"absent.safetensors", "absent/x"}) {
    EXPECT_EQ(find(absent).error().kind(), ErrorKind::kMissingInput);
    EXPECT_THAT(find(absent).error().message(), HasSubstr("no such file or folder"));
  }
}

TEST_F(FindModel, ACheckpointFolderMeansItsWeights) {
  const fs::path weights = file("run/checkpoints/step-000000010/model.safetensors");
  EXPECT_EQ(weights_at(weights.parent_path()).value(), weights);
  fs::create_directories(folder_ / "empty");
  EXPECT_THAT(weights_at(folder_ / "empty").error().message(), HasSubstr("is no model"));
}

TEST_F(FindModel, AnUnfinishedRunSaysHowFarItIsAndWhatToDo) {
  unfinished("results/some", "step-000001250");
  for (const auto& some : {weights_at(folder_ / "results" / "some"), find("a2v2-schemamem-fast-s42")}) {
    ASSERT_FALSE(some);
    EXPECT_EQ(some.error().kind(), ErrorKind::kMissingInput);
    EXPECT_THAT(some.error().message(),
                AllOf(HasSubstr("step 1250"), HasSubstr("schemamem resume"), HasSubstr("checkpoints/step-000001250")));
  }
  EXPECT_THAT(weights_at(unfinished("none")).error().message(), HasSubstr("no checkpoint yet"));
}

TEST_F(FindModel, AListHasEveryFinishedModelByPlaceAndName) {
  const fs::path b = file("models/b.safetensors"), a = file("models/A.safetensors"), x = run("results/steady/x");
  unfinished("results/some");
  std::ofstream(folder_ / "models" / "notes.txt") << "no model";
  std::vector<std::string> names;
  std::vector<fs::path> files;
  for (const NamedModel& model :
       list_models(std::vector{folder_ / "models", folder_ / "absent", folder_ / "results"})) {
    names.push_back(model.name);
    files.push_back(model.file);
  }
  EXPECT_THAT(names, ElementsAre("a", "b", "a2v2-schemamem-fast-s42"));
  EXPECT_THAT(files, ElementsAre(a, b, x));
}

}  // namespace
}  // namespace schemamem
