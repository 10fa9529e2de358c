#include "paper/claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "support/made_runs.h"

namespace schemamem {
namespace {

using test::MadeRun;
using test::write_run;

const Claim& claim_named(const std::vector<Claim>& claims, const std::string& id) {
  for (const Claim& claim : claims)
    if (claim.id == id) return claim;
  throw ContractViolation("no claim " + id);
}

class PaperClaims : public testing::Test {
 protected:
  ClaimResult judged(const std::string& id) {
    const std::vector<std::filesystem::path> paths{folder_.path()};
    const auto ledger = Ledger::read(paths);
    EXPECT_TRUE(ledger) << ledger.error().message();
    return judge_claim(*ledger, {.recipe = "fast"}, claim_named(claims_, id));
  }
  /// A run with the same accuracy everywhere; nothing is left without S.
  void put(const std::string& model, std::string_view setting, std::uint64_t seed, int percent) {
    MadeRun run{.model = model, .setting = std::string(setting), .seed = seed};
    run.per_mille = [percent](const auto&, auto, const auto&, bool ablated) { return ablated ? 0 : 10 * percent; };
    write_run(folder_.path(), run);
  }
  /// The same in the first settings, on three seeds.
  void put_model(const std::string& model, int percent, std::size_t settings) {
    for (std::size_t i = 0; i < settings; ++i)
      for (const std::uint64_t seed : kPaperSeeds) put(model, kPaperSettings[i], seed, percent);
  }

  TemporaryFolder folder_;
  const std::vector<Claim> claims_ = paper_claims();
};

TEST_F(PaperClaims, HaveDistinctNamesASourceAndARuleOnTheirOwnTerms) {
  std::set<std::string> ids;
  for (const Claim& claim : claims_) {
    EXPECT_TRUE(ids.insert(claim.id).second) << claim.id;
    EXPECT_FALSE(claim.section.empty() || claim.quote.empty() || claim.rule.empty()) << claim.id;
    write_run(folder_.path() / claim.id, {});
    const std::vector<std::filesystem::path> paths{folder_.path() / claim.id};
    EXPECT_NO_THROW(judge_claim(*Ledger::read(paths), {.recipe = "fast"}, claim)) << claim.id;
  }
  EXPECT_GE(claims_.size(), 20u);
}

TEST_F(PaperClaims, HoldWhenTheMeansAreInTheOrderThatThePaperSays) {
  put_model("schemamem", 70, 1);
  put_model("mamba3", 20, 1);
  put_model("gdn", 30, 1);
  const ClaimResult result = judged("overtakes");
  EXPECT_EQ(result.verdict, ClaimVerdict::kHolds);
  EXPECT_DOUBLE_EQ(result.values[0]->value, 70);
  EXPECT_EQ(result.values[0]->have, 3);
  EXPECT_EQ(result.values[0]->runs.size(), 3u);
}

TEST_F(PaperClaims, FailWhenTheMeansAreNotInThatOrderAndATieIsNoLead) {
  put_model("schemamem", 30, 1);
  put_model("mamba3", 20, 1);
  put_model("gdn", 30, 1);
  EXPECT_EQ(judged("overtakes").verdict, ClaimVerdict::kFails);
}

TEST_F(PaperClaims, AreNotMeasuredWithoutARunOfEveryModel) {
  put_model("schemamem", 70, 1);
  put_model("gdn", 30, 1);
  const ClaimResult result = judged("overtakes");
  EXPECT_EQ(result.verdict, ClaimVerdict::kUnmeasured);
  EXPECT_FALSE(result.values[1].has_value());
}

TEST_F(PaperClaims, AboutAllSettingsAreOpenWhileAMissingOneCouldDecide) {
  put_model("schemamem", 70, 8);
  put_model("mamba3", 20, 8);
  put_model("gdn", 30, 8);
  EXPECT_EQ(judged("retention-everywhere").verdict, ClaimVerdict::kUnmeasured);
  put("schemamem", "A5V5", 42, 50);
  put("mamba3", "A5V5", 42, 10);
  put("gdn", "A5V5", 42, 20);
  const ClaimResult result = judged("retention-everywhere");
  EXPECT_EQ(result.verdict, ClaimVerdict::kHolds);
  EXPECT_DOUBLE_EQ(result.values[0]->value, 9);
}

TEST_F(PaperClaims, AboutAllSettingsFailAtTheFirstCounterexample) {
  put_model("schemamem", 15, 1);
  put_model("mamba3", 20, 1);
  const ClaimResult result = judged("retention-everywhere");
  EXPECT_EQ(result.verdict, ClaimVerdict::kFails);
  EXPECT_EQ(result.values[0]->have, 1);
  EXPECT_EQ(result.values[0]->of, 9);
}

TEST_F(PaperClaims, AboutEveryCheckpointLookAtTheHighestOfAllColumns) {
  put("schemamem", "A3V3", 42, 90);
  EXPECT_EQ(judged("state-carries-values").verdict, ClaimVerdict::kUnmeasured);
  MadeRun leaking{.seed = 43};
  leaking.per_mille = [](const auto&, auto, const std::string& group, bool) { return group == "updated" ? 30 : 0; };
  write_run(folder_.path(), leaking);
  const ClaimResult result = judged("state-carries-values");
  EXPECT_EQ(result.verdict, ClaimVerdict::kFails);
  EXPECT_DOUBLE_EQ(result.values[0]->value, 3);
}

TEST_F(PaperClaims, OneRunAtItsStepLimitIsEnoughAgainstAllReachingTheirTarget) {
  write_run(folder_.path(), {.seed = 42});
  EXPECT_EQ(judged("all-pass").verdict, ClaimVerdict::kUnmeasured);
  write_run(folder_.path(), {.seed = 43, .status = "step-limit"});
  EXPECT_EQ(judged("all-pass").verdict, ClaimVerdict::kFails);
}

TEST_F(PaperClaims, SayTheirRuleInWords) {
  EXPECT_EQ(rule_text(claim_named(claims_, "overtakes")), "SchemaMem > Mamba-3 and SchemaMem > Gated DeltaNet");
  EXPECT_EQ(rule_text(claim_named(claims_, "all-pass")), "runs that reached their target >= 81");
}

}  // namespace
}  // namespace schemamem
