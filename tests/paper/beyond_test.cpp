#include "paper/beyond.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/made_runs.h"

namespace schemamem {
namespace {

using test::constant;
using test::ledger_of;
using test::MadeRun;
using test::write_run;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const Selection kFast{.recipe = "fast"};

TEST(Beyond, IsNothingForRunsOfThePapersGrid) {
  const TemporaryFolder folder;
  write_run(folder.path(), {});
  const Beyond beyond(ledger_of(folder.path()), kFast);
  EXPECT_TRUE(beyond.empty());
  EXPECT_TRUE(beyond.tables().empty());
  EXPECT_TRUE(beyond.figures().empty());
  EXPECT_EQ(beyond.note(), "");
}

TEST(Beyond, OtherSettingsHaveATableAFigureAndASentence) {
  const TemporaryFolder folder;
  for (const std::uint64_t seed : {42, 43}) {
    MadeRun run = constant(seed, seed == 42 ? 90 : 80);
    run.setting = "A2V2";
    write_run(folder.path(), run);
  }
  const Beyond beyond(ledger_of(folder.path()), kFast);
  EXPECT_TRUE(beyond.is_all());
  EXPECT_THAT(beyond.settings(), ElementsAre("A2V2"));
  ASSERT_EQ(beyond.tables().size(), 1U);
  EXPECT_THAT(markdown(beyond.tables().front()), AllOf(HasSubstr("| A2V2"), HasSubstr("85.0 ± 7.1")));
  EXPECT_THAT(beyond.figures().front().csv, HasSubstr("A2V2,retained_r,1,schemamem,fast,96,85"));
  EXPECT_THAT(beyond.note(), AllOf(HasSubstr("None of the runs"), HasSubstr("2 runs are of A2V2")));
}

TEST(Beyond, AnotherModelStandsBesideThePapersWhateverItsRecipe) {
  const TemporaryFolder folder;
  MadeRun guest = constant(42, 70), other = constant(42, 60);
  guest.model = "gru";
  guest.recipe = "own";
  other.setting = "A4V4";
  write_run(folder.path(), constant(42, 90));
  write_run(folder.path(), guest);
  write_run(folder.path(), other);
  const Beyond beyond(ledger_of(folder.path()), kFast);
  EXPECT_FALSE(beyond.is_all());
  EXPECT_THAT(beyond.settings(), ElementsAre("A3V3"));
  const std::string table = markdown(beyond.tables().front());
  EXPECT_THAT(table, AllOf(HasSubstr("SchemaMem"), HasSubstr("gru"), HasSubstr("own"), Not(HasSubstr("A4V4"))));
  EXPECT_THAT(beyond.figures().front().script, HasSubstr("gru (own)"));
  EXPECT_THAT(beyond.note(), HasSubstr("Beside the paper's, 1 run is"));
}

}  // namespace
}  // namespace schemamem
