#include "record/run_folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "record/json_file.h"
#include "support/temporary_folder.h"

namespace schemamem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// many/a and many/b are runs, many/no run is not.
struct ManyRuns {
  TemporaryFolder folder;
  std::filesystem::path many = folder / "many";
  ManyRuns() {
    for (const char* name : {"b", "a", "no run"}) std::filesystem::create_directories(many / name);
    for (const char* name : {"b", "a"}) std::ofstream(many / name / "run.json") << "{}";
  }
};

TEST(FindRuns, TakesARunAndTheRunsOfAFolderByName) {
  const ManyRuns world;
  EXPECT_THAT(*find_runs(world.many), ElementsAre(world.many / "a", world.many / "b"));
  EXPECT_THAT(*find_runs(world.many / "b"), ElementsAre(world.many / "b"));
}

TEST(FindRuns, RefusesAFolderWithoutRunsAndWhatIsNoFolder) {
  const ManyRuns world;
  for (const char* name : {"no run", "nowhere", "a/run.json"}) {
    const auto found = find_runs(world.many / name);
    ASSERT_FALSE(found) << name;
    EXPECT_EQ(found.error().kind(), ErrorKind::kMissingInput) << name;
    EXPECT_THAT(found.error().message(), HasSubstr(name));
    EXPECT_THAT(found.error().message(), HasSubstr("schemamem train"));
  }
}

TEST(ReadJsonObject, KeepsTheOrderAndRefusesWhatIsNoObject) {
  const TemporaryFolder folder;
  const auto read = [&](const char* text) {
    std::ofstream(folder / "x.json") << text;
    return read_json_object(folder / "x.json");
  };
  EXPECT_EQ(read(R"({"b":1,"a":2})")->raw().dump(), R"({"b":1,"a":2})");
  for (const char* text : {"", "[1]", "7", R"({"a":)"})
    EXPECT_EQ(read(text).error().kind(), ErrorKind::kBadData) << text;
  EXPECT_EQ(read_json_object(folder / "nothing.json").error().kind(), ErrorKind::kMissingInput);
}

}  // namespace
}  // namespace schemamem
