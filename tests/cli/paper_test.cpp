#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/gnuplot.h"
#include "support/cli.h"
#include "support/made_runs.h"
#include "system/files.h"
#include "system/helper.h"

namespace schemamem {
namespace {

using test::call;
using test::Reply;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;
namespace fs = std::filesystem;

TEST(Paper, WritesEveryTableInThreeFormats) {
  const TemporaryFolder folder;
  test::write_run(folder / "runs", {});
  const Reply reply =
      call("paper tables " + (folder / "runs").string() + " -o " + (folder / "out").string() + " --json");
  ASSERT_EQ(reply.code, 0) << reply.err;
  const Json answer = Json::parse(reply.out);
  EXPECT_EQ(answer.at("files").size(), 14U * 3);  // eight, the text's, five of ours
  for (const Json& file : answer.at("files")) EXPECT_TRUE(fs::exists(file.get<std::string>())) << file;
  EXPECT_THAT(answer.at("gaps").dump(), HasSubstr("No run of gdn"));
}

TEST(Paper, DrawsTheFiguresWithGnuplot) {
  if (!find_program("gnuplot")) GTEST_SKIP() << "gnuplot is not installed";
  const TemporaryFolder folder;
  test::write_run(folder / "runs", {});
  const Reply reply = call("paper all " + (folder / "runs").string() + " -o " + (folder / "out").string());
  ASSERT_EQ(reply.code, 0) << reply.err;
  for (const char* name : {"delay", "retention", "interference", "updated", "default", "drops", "seeds"})
    for (const char* ending : {".csv", ".gp", ".svg", ".pdf"})
      EXPECT_GT(fs::file_size(folder / "out/figures" / (std::string(name) + ending)), 500U) << name << ending;
  EXPECT_TRUE(fs::exists(folder / "out/paper.md"));
  const std::string drawn = read_text_file(folder / "out/figures/delay.pdf", 1 << 20).value();
  EXPECT_NE(drawn.find("/Producer"), std::string::npos);
  EXPECT_EQ(drawn.find("/CreationDate"), std::string::npos) << "the same figure would be another file tomorrow";
  // What was written can be asked again.
  const Reply again = call("paper diff " + (folder / "out").string() + " --json");
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.out, call("paper diff " + (folder / "runs").string() + " --json").out);
}

TEST(Paper, WithoutGnuplotLeavesDataAndScriptsAndSaysHowToGetIt) {
  const TemporaryFolder folder;
  test::write_run(folder / "runs", {});
  const Reply reply = call("paper figures " + (folder / "runs").string() + " -o " + (folder / "out").string() +
                           " --gnuplot " + (folder / "nowhere").string());
  EXPECT_EQ(reply.code, 66);
  EXPECT_THAT(reply.err, AllOf(HasSubstr("apt-get install gnuplot-nox"), HasSubstr("out/figures")));
  EXPECT_TRUE(fs::exists(folder / "out/figures/delay.gp"));
}

TEST(Paper, JudgesEveryNumber) {
  const TemporaryFolder folder;
  test::write_run(folder / "runs", {});
  const Reply json = call("paper diff " + (folder / "runs").string() + " --json");
  ASSERT_EQ(json.code, 0) << json.err;
  EXPECT_EQ(Json::parse(json.out).at("cells").size(), 882U);
  const Reply text = call("paper diff " + (folder / "runs").string());
  EXPECT_THAT(text.out, AllOf(HasSubstr("missing"), HasSubstr("long_delay"), HasSubstr("Furthest on the bad side")));
}

TEST(Paper, RefusesToMixRecipes) {
  const TemporaryFolder folder;
  test::write_run(folder / "runs", {.recipe = "fast"});
  test::write_run(folder / "runs", {.recipe = "steady"});
  const Reply mixed = call("paper diff " + (folder / "runs").string());
  EXPECT_EQ(mixed.code, 64);
  EXPECT_THAT(mixed.err, HasSubstr("fast, steady"));
  EXPECT_EQ(call("paper diff " + (folder / "runs").string() + " --recipe steady").code, 0);
}

TEST(Paper, PutsTheHeadlineIntoATextOnlyOnceItsFigureIsDrawn) {
  const TemporaryFolder folder;
  test::write_run(folder / "runs", {.recipe = "fast"});
  test::write_run(folder / "runs", {.recipe = "steady"});
  const std::string empty = "<!-- headline: `make results` writes what follows -->\n<!-- end of headline -->\n";
  test::write_text(folder / "text.md", empty);
  const auto text = [&] { return read_text_file(folder / "text.md", 1 << 20).value(); };
  const std::string command = "paper headline " + (folder / "runs").string() + " -o " + (folder / "out").string() +
                              " --into " + (folder / "text.md").string();
  EXPECT_EQ(call(command + " --gnuplot " + (folder / "nowhere").string()).code, 66);
  EXPECT_EQ(text(), empty);
  EXPECT_EQ(call(command + " --recipe fast").code, 64);  // it shows all of them
  if (!find_program("gnuplot")) GTEST_SKIP() << "gnuplot is not installed";
  const Reply reply = call(command);
  ASSERT_EQ(reply.code, 0) << reply.err;
  EXPECT_THAT(text(), AllOf(HasSubstr("`fast`"), HasSubstr("`steady`"), HasSubstr("](out/figures/headline.svg)")));
}

TEST(Paper, TheTablesOfThePagesAreThoseOfTheRecords) {
  if (!find_program("gnuplot")) GTEST_SKIP() << "gnuplot is not installed";
  const TemporaryFolder folder;
  const std::filesystem::path source = SCHEMAMEM_SOURCE_DIR;
  std::string runs;
  for (const char* recipe : {"fast", "paper", "steady"}) runs += " " + (source / "results" / recipe).string();
  const auto holds = [&](const std::string& options, const std::filesystem::path& page) {
    const Reply reply = call("paper headline" + runs + " -o " + (folder / "out").string() + " " + options);
    ASSERT_EQ(reply.code, 0) << reply.err;
    const std::string table = reply.out.substr(0, reply.out.find("\n!["));
    EXPECT_THAT(read_text_file(source / page, 1 << 20).value(), HasSubstr(table)) << "`make results` writes it";
  };
  holds("--brief", "README.md");
  holds("", "docs/results/index.md");
}

TEST(Paper, SaysWhereRunsOfOtherSettingsAreInsteadOfThatThereAreNone) {
  const TemporaryFolder folder;
  test::write_run(folder / "runs", {.setting = "A2V2"});
  const std::string out = (folder / "out").string();
  const Reply tables = call("paper tables " + (folder / "runs").string() + " -o " + out);
  EXPECT_EQ(tables.code, 0) << tables.err;
  EXPECT_THAT(tables.out, AllOf(HasSubstr("1 run is of A2V2"), Not(HasSubstr("No run of"))));
  EXPECT_TRUE(std::filesystem::exists(folder / "out" / "tables" / "other_settings.md"));
  EXPECT_THAT(call("paper diff " + (folder / "runs").string()).out, HasSubstr("1 run is of A2V2"));
}

TEST(Paper, NeedsRuns) {
  EXPECT_EQ(call("paper tables").code, 64);
  EXPECT_EQ(call("paper tables /nowhere/at/all").code, 66);
  EXPECT_EQ(call("paper diff . --eval-seed many").code, 66);
}

TEST(Paper, LeavesRunsOfOtherTasksOutWithANote) {
  const TemporaryFolder folder;
  const std::string runs = (folder / "runs").string();
  test::write_mqar_run(folder / "runs", {.recipe = "levels"});
  const Reply none = call("paper diff " + runs);
  EXPECT_EQ(none.code, 66);
  EXPECT_THAT(none.err, HasSubstr("schemamem report"));
  test::write_run(folder / "runs", {});
  const Reply text = call("paper diff " + runs);
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("Left out: 1 run of other tasks"));
  const Reply tables = call("paper tables " + runs + " -o " + (folder / "out").string() + " --json");
  EXPECT_EQ(Json::parse(tables.out).at("left_out"), 1);
}

}  // namespace
}  // namespace schemamem
