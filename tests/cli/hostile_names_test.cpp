// Names from files go into scripts, pages, paths and terminals: what is no name is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/gnuplot.h"
#include "support/hostile.h"
#include "support/made_runs.h"
#include "support/trained_run.h"
#include "system/helper.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::HostileEnd;
using test::run_hostile;
using test::text_of;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Changes one field of the object in a file.
void set_field(const fs::path& path, const json::json_pointer& field, const json& value) {
  json object = json::parse(text_of(path));
  object[field] = value;
  test::write_victim(path, object.dump());
}

class HostileNames : public testing::Test {
 protected:
  void SetUp() override { run_ = test::write_run(folder_ / "runs", test::MadeRun{}); }
  std::string runs() const { return (folder_ / "runs").string(); }
  std::string out() const { return (folder_ / "out").string(); }
  std::string pwned() const { return (folder_ / "pwned").string(); }

  /// Every reader of runs refuses them with code 65, and nothing is run.
  void expect_refused(const std::string& what) const {
    for (const std::string& command :
         {"paper figures " + runs() + " -o " + out(), "paper all " + runs() + " -o " + out(),
          "paper headline " + runs() + " -o " + out(), "paper diff " + runs(),
          "report " + runs() + " -o " + out() + ".html"}) {
      const HostileEnd told = run_hostile(command);
      EXPECT_EQ(told.end, (ProcessEnd{.code = 65})) << command << "\n" << told.said;
      EXPECT_THAT(told.said, AllOf(HasSubstr(what), HasSubstr("must be a name"), Not(HasSubstr("\x1b"))));
    }
    EXPECT_FALSE(fs::exists(pwned())) << "a command was run";
  }

  TemporaryFolder folder_;
  fs::path run_;
};

TEST_F(HostileNames, ARecipeThatEndsALineOfAScriptIsRefused) {
  const std::string name = "fast\nsystem(\"id > " + pwned() + "\")\n#";
  set_field(run_ / "run.json", "/recipe"_json_pointer, name);
  expect_refused("run.json: recipe");
}

TEST_F(HostileNames, ARecipeWithBackticksIsRefused) {
  set_field(run_ / "run.json", "/recipe"_json_pointer, "`id > " + pwned() + "`");
  expect_refused("run.json: recipe");
}

TEST_F(HostileNames, ARecipeOfMarkupOrEscapesIsRefused) {
  for (const char* name : {"<script>alert(1)</script>", "\x1b[2Jgone", "a|b", ""}) {
    set_field(run_ / "run.json", "/recipe"_json_pointer, name);
    expect_refused("run.json: recipe");
  }
}

TEST_F(HostileNames, ModelsTasksSettingsAndHashesAreNamesToo) {
  for (const char* field : {"model", "task", "setting", "hash"}) {
    const std::string manifest = text_of(run_ / "run.json");
    set_field(run_ / "run.json", json::json_pointer(std::string("/") + field), "x`id`");
    expect_refused(std::string("run.json: ") + field);
    test::write_victim(run_ / "run.json", manifest);
  }
}

TEST_F(HostileNames, TheNamesInEvaluationRecordsAreCheckedToo) {
  for (const auto& entry : fs::directory_iterator(run_ / "evaluations")) {
    for (const char* field : {"/checkpoint/recipe", "/checkpoint/model", "/checkpoint/hash", "/protocol/isa"}) {
      const std::string record = text_of(entry.path());
      set_field(entry.path(), json::json_pointer(field), "x\x1b]0;title\x07");
      expect_refused(std::string(field).substr(std::string(field).rfind('/') + 1));
      test::write_victim(entry.path(), record);
    }
  }
}

TEST_F(HostileNames, ARunIsNotResumedNorEvaluatedUnderANameThatIsNone) {
  const HostileEnd made = run_hostile(test::short_training(folder_ / "run"));
  ASSERT_EQ(made.end, (ProcessEnd{.code = 2})) << made.said;
  set_field(folder_ / "run" / "run.json", "/recipe"_json_pointer, "../x");
  EXPECT_EQ(run_hostile("resume " + (folder_ / "run").string()).end, (ProcessEnd{.code = 65}));
}

TEST_F(HostileNames, TheMetadataOfWeightsIsCheckedToo) {
  const fs::path weights = folder_ / "w" / "model.safetensors";
  auto metadata = test::TrainedRun{}.metadata();
  metadata["recipe"] = "x\x1b[31m";
  test::write_weights(weights, {}, metadata);
  const HostileEnd told = run_hostile("eval " + weights.string() + " --episodes 1 --threads 1");
  EXPECT_EQ(told.end, (ProcessEnd{.code = 65})) << told.said;
  EXPECT_THAT(told.said, HasSubstr("recipe in the metadata must be a name"));
}

TEST_F(HostileNames, ARecipeFileMustBearAName) {
  const fs::path recipe = folder_ / "`id`.toml";
  test::write_victim(recipe, "extends = \"fast\"\n");
  const HostileEnd told = run_hostile("config explain --recipe " + recipe.string());
  EXPECT_EQ(told.end, (ProcessEnd{.code = 65})) << told.said;
}

TEST(HostileScript, GnuplotCanRunNoCommand) {
  const auto gnuplot = find_program("gnuplot");
  if (!gnuplot) GTEST_SKIP() << "gnuplot is not installed";
  const TemporaryFolder folder;
  const std::string pwned = (folder / "pwned").string();
  test::write_victim(folder / "f.csv", "1,2\n");
  for (const std::string& command :
       {"system(\"id > " + pwned + "\")", "x = system(\"id > " + pwned + "\")", "!id > " + pwned,
        "x = \"`id > " + pwned + "`\"", "plot \"< id > " + pwned + "\"", "set print \"| cat > " + pwned + "\"\nprint 1",
        "set output \"| cat > " + pwned + "\"\nplot x"}) {
    test::write_victim(folder / "f.gp", command + "\nset terminal svg\nset output \"f.svg\"\nplot x\n");
    static_cast<void>(draw_figure(*gnuplot, folder.path(), "f", "svg"));
    EXPECT_FALSE(fs::exists(pwned)) << command;
  }
}

}  // namespace
}  // namespace schemamem
