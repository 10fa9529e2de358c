#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/cli.h"
#include "support/made_runs.h"

namespace schemamem {
namespace {

using test::call;
using test::Reply;
using testing::HasSubstr;

TEST(ReportCommand, WritesThePageOfAFolderOfRuns) {
  const TemporaryFolder folder;
  test::write_run(folder.path() / "runs", {});
  const std::string page = (folder / "page.html").string();
  const Reply reply = call("report " + (folder / "runs").string() + " -o " + page);
  EXPECT_EQ(reply.code, 0) << reply.err;
  EXPECT_THAT(reply.out, HasSubstr("1 run,"));
  std::ifstream file(page);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "<!doctype html>");
  EXPECT_THAT(call("report " + (folder / "runs").string() + " --json -o " + page).out, HasSubstr("\"runs\":1"));
}

TEST(ReportCommand, MistakesAreToldWithAWayOut) {
  const TemporaryFolder folder;
  EXPECT_EQ(call("report").code, 64);
  EXPECT_EQ(call("report /nowhere/at/all").code, 66);
  test::write_run(folder.path() / "runs", {});
  EXPECT_EQ(call("report " + (folder / "runs").string() + " -o /nowhere/page.html").code, 73);
}

TEST(ReportCommand, ShowsRunsOfOtherTasks) {
  const TemporaryFolder folder;
  const std::string page = " --json -o " + (folder / "page.html").string();
  test::write_mqar_run(folder.path() / "runs", {});
  EXPECT_THAT(call("report " + (folder / "runs").string() + page).out, HasSubstr("\"runs\":1"));
  test::write_run(folder.path() / "runs", {});
  const Reply reply = call("report " + (folder / "runs").string() + page);
  EXPECT_EQ(reply.code, 0) << reply.err;
  EXPECT_THAT(reply.out, HasSubstr("\"runs\":2,\"recipes\":[\"fast\"]"));
}

}  // namespace
}  // namespace schemamem
