#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/cli.h"
#include "support/temporary_folder.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;
using test::call;
using test::Reply;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A copy of a published run, to be damaged.
fs::path copied_run(const fs::path& into) {
  const fs::path run = into / "schemamem-A3V3-fast-s42-c01908b5";
  fs::copy(fs::path(SCHEMAMEM_SOURCE_DIR) / "results" / "fast" / run.filename(), run, fs::copy_options::recursive);
  return run;
}

/// Records of a published run; there may be more of them with time.
std::size_t records_of(const fs::path& run) {
  const fs::directory_iterator files(run / "evaluations");
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

TEST(CheckCommand, AWholeRunEndsWithCode0) {
  const TemporaryFolder folder(memory_folder());
  const fs::path run = copied_run(folder.path());
  const Reply reply = call("check " + run.string());
  const std::string told = "passed, 0 checkpoints, " + std::to_string(records_of(run)) + " records";
  EXPECT_EQ(reply.code, 0) << reply.err;
  EXPECT_THAT(reply.out, AllOf(HasSubstr("whole"), HasSubstr(told), HasSubstr("1 run: 1 whole")));
}

TEST(CheckCommand, RecordsOfOtherWeightsAreDamageAndEndWithCode65) {
  const TemporaryFolder folder(memory_folder());
  const fs::path run = copied_run(folder.path());
  std::fstream weights(run / "model.safetensors", std::ios::in | std::ios::out | std::ios::binary);
  weights.seekp(-1, std::ios::end);
  weights.put('\x3c');
  weights.close();
  const Reply reply = call("check " + folder.path().string() + " --json");
  EXPECT_EQ(reply.code, 65);
  const auto json = nlohmann::json::parse(reply.out);
  EXPECT_EQ(json["counts"]["damaged"], 1);
  const auto& findings = json["runs"][0]["findings"];
  ASSERT_EQ(findings.size(), records_of(run)) << reply.out;
  EXPECT_EQ(findings[0]["kind"], "damaged");
  EXPECT_THAT(findings[0]["file"], HasSubstr("evaluations/"));
  EXPECT_THAT(findings[0]["what"], HasSubstr("SHA-256"));
  EXPECT_THAT(findings[0]["rescue"], HasSubstr("--force"));
}

TEST(CheckCommand, AFolderWhoseNameEndsInAnotherHashIsDamage) {
  const TemporaryFolder folder(memory_folder());
  const fs::path renamed = folder / "schemamem-A3V3-fast-s42-00000000";
  fs::rename(copied_run(folder.path()), renamed);
  const Reply reply = call("check " + renamed.string());
  EXPECT_EQ(reply.code, 65);
  EXPECT_THAT(reply.out, HasSubstr("ends in 00000000, the run has the hash c01908b5"));
  EXPECT_EQ(call("check " + renamed.string() + "/").code, 65);
}

TEST(CheckCommand, NamesFromTheFolderCannotWriteToTheTerminal) {
  const TemporaryFolder folder(memory_folder());
  const fs::path run = copied_run(folder.path());
  fs::rename(run / "evaluations" / "curve-recurrent-20261001-64.json", run / "evaluations" / "\x1b[31mred\n.json");
  fs::rename(run, folder / "\x1b[2J");
  for (const char* format : {"", " --json"}) {
    const Reply reply = call("check --all " + folder.path().string() + format);
    EXPECT_EQ(reply.code, 65);
    EXPECT_THAT(reply.out + reply.err, Not(HasSubstr("\x1b")));
  }
}

TEST(CheckCommand, MistakesAreToldWithAWayOut) {
  const TemporaryFolder folder(memory_folder());
  EXPECT_EQ(call("check").code, 64);
  EXPECT_EQ(call("check /nowhere/at/all").code, 66);
  EXPECT_EQ(call("check --all " + folder.path().string()).code, 66);
  fs::create_symlink("loop", folder / "loop");
  EXPECT_EQ(call("check " + (folder / "loop").string()).code, 74);
}

}  // namespace
}  // namespace schemamem
