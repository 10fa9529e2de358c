#include "eval/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "catalog/model_files.h"
#include "support/temporary_folder.h"
#include "support/trained_run.h"
#include "task/mqar.h"
#include "task/registry.h"

namespace schemamem {
namespace {

using test::TrainedRun;
using testing::HasSubstr;
namespace fs = std::filesystem;

const StopFlag kNever{false};

struct Counter final : EvaluationObserver {
  void advanced(std::int64_t count) override { tokens += count; }
  std::int64_t tokens = 0;
};

std::shared_ptr<const TrainedWeights> load(const fs::path& path) {
  return std::make_shared<const TrainedWeights>(TrainedWeights::load(path).value());
}

EvaluationRequest request(std::vector<std::size_t> delays, std::vector<std::string> scenarios = {"retention"}) {
  return {.kind = "table",
          .mode = Mode::kRecurrent,
          .episodes = {.seed = 7, .episodes = 2},
          .scenarios = std::move(scenarios),
          .delays = std::move(delays)};
}

/// A run, and what its folder of records holds after evaluations of it.
class EvaluationOfARun : public testing::Test {
 protected:
  void SetUp() override { test::write_run(folder_ / "run"); }

  fs::path weights() const { return folder_ / "run" / "model.safetensors"; }
  Result<Evaluation> open(const EvaluationRequest& wanted, bool force = false, Isa isa = best_isa()) const {
    return Evaluation::open(weights(), load(weights()), wanted, isa, force);
  }
  /// Tokens that were read for it.
  std::int64_t evaluate(const EvaluationRequest& wanted, bool force = false) const {
    Evaluation evaluation = open(wanted, force).value();
    Counter counter;
    EXPECT_TRUE(evaluation.run({}, kNever, counter));
    return counter.tokens;
  }
  std::string record_text() const {
    std::ifstream file(record_path());
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  void write_record(const std::string& text) const { std::ofstream(record_path()) << text; }
  fs::path record_path() const { return folder_ / "run" / "evaluations" / "table-recurrent-7-2.json"; }

  TemporaryFolder folder_;
};

TEST_F(EvaluationOfARun, LeavesARecordThatSaysWhatWasEvaluatedAndHow) {
  evaluate(request({5}));
  const EvaluationRecord record = load_evaluation(record_path()).value();
  EXPECT_EQ(record.checkpoint, load(weights())->about());
  EXPECT_EQ(record.checkpoint.setting, "A2V2");
  EXPECT_EQ(record.checkpoint.seed, 42U);
  EXPECT_EQ(record.checkpoint.recipe, "fast");
  EXPECT_EQ(record.checkpoint.hash, "1a2b3c4d");
  EXPECT_EQ(record.protocol.isa, isa_name(best_isa()));
  ASSERT_EQ(record.cells.size(), 2U);
  EXPECT_EQ(record.cells[0].asked, 2 * 2);
  EXPECT_EQ(record.cells[0].bits, 2 * 2 * 2);
}

TEST_F(EvaluationOfARun, ComputesNothingTwiceAndAddsWhatIsMissing) {
  const std::int64_t first = evaluate(request({5, 9}));
  EXPECT_GT(first, 0);
  const std::string text = record_text();
  EXPECT_EQ(evaluate(request({9})), 0);
  EXPECT_EQ(record_text(), text);

  const std::int64_t more = evaluate(request({5, 7, 9}, {"immediate", "retention"}));
  const AddressValueTask task({2, 2});
  EXPECT_EQ(more, table_tokens(task, episode_case(Scenario::kRetention, 7), 2) +
                      table_tokens(task, episode_case(Scenario::kImmediate), 2));
  EXPECT_EQ(load_evaluation(record_path())->cells.size(), 2U + 3U * 2U);
}

TEST_F(EvaluationOfARun, GivesTheSameBytesInAnyOrder) {
  evaluate(request({5, 9}));
  const std::string text = record_text();
  fs::remove(record_path());
  evaluate(request({9}));
  evaluate(request({5}));
  EXPECT_EQ(record_text(), text);
}

TEST_F(EvaluationOfARun, KeepsWhatAnotherProcessAddedMeanwhile) {
  evaluate(request({5, 7, 9}));
  const std::string text = record_text();
  fs::remove(record_path());
  evaluate(request({7}));
  Evaluation one = open(request({5})).value(), other = open(request({9})).value();
  EvaluationObserver nobody;
  ASSERT_TRUE(one.run({}, kNever, nobody));
  ASSERT_TRUE(other.run({}, kNever, nobody));
  EXPECT_EQ(record_text(), text);
}

TEST_F(EvaluationOfARun, ForceComputesAgainAndKeepsTheRest) {
  const std::int64_t all = evaluate(request({5, 9}));
  const std::string text = record_text();
  EXPECT_LT(evaluate(request({5}), true), all);
  EXPECT_EQ(record_text(), text);
}

TEST_F(EvaluationOfARun, ReplacesTheRecordOfOtherWeights) {
  evaluate(request({5, 9}));
  const TrainedRun other{.seed = 43};
  test::write_weights(weights(), other, other.metadata());
  EXPECT_GT(evaluate(request({9})), 0);
  const EvaluationRecord record = load_evaluation(record_path()).value();
  EXPECT_EQ(record.checkpoint.seed, 43U);
  EXPECT_EQ(record.cells.size(), 2U);
}

TEST_F(EvaluationOfARun, RefusesADamagedRecordUnlessForced) {
  evaluate(request({5}));
  const std::string text = record_text();
  write_record(text.substr(0, text.size() / 2));
  const auto refused = open(request({5}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kBadData);
  EXPECT_THAT(refused.error().message(), testing::AllOf(HasSubstr("table-recurrent-7-2.json"), HasSubstr("--force")));
  EXPECT_GT(evaluate(request({5}), true), 0);
  EXPECT_EQ(record_text(), text);
}

TEST_F(EvaluationOfARun, GoesOnWithTheInstructionSetOfTheRecord) {
  const Isa least = available_isas().front();
  Evaluation begun = open(request({5}), false, least).value();
  EvaluationObserver nobody;
  ASSERT_TRUE(begun.run({}, kNever, nobody));
  evaluate(request({5, 9}));
  EXPECT_EQ(load_evaluation(record_path())->protocol.isa, isa_name(least));
  EXPECT_EQ(load_evaluation(record_path())->cells.size(), 4U);
  evaluate(request({5}), true);
  EXPECT_EQ(load_evaluation(record_path())->protocol.isa, isa_name(best_isa()));
}

TEST_F(EvaluationOfARun, AnInstructionSetThatIsNotHereIsInTheWayOnlyIfSomethingIsMissing) {
  evaluate(request({5}));
  EvaluationRecord record = load_evaluation(record_path()).value();
  record.protocol.isa = "other";
  ASSERT_TRUE(save_evaluation(record_path(), record));
  EXPECT_TRUE(open(request({5})));
  const auto refused = open(request({5, 9}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kUsage);
  EXPECT_THAT(refused.error().message(), testing::AllOf(HasSubstr("other"), HasSubstr("--force")));
}

TEST_F(EvaluationOfARun, EveryModelCanBeEvaluatedWithItsMemoryAtZero) {
  for (const char* model : {"gdn", "mamba3"}) {
    test::write_run(folder_ / model, {.model = model});
    const fs::path path = folder_ / model / "model.safetensors";
    std::vector<EvaluationRecord> records;
    for (const std::size_t piece : {3, 1536}) {
      EvaluationRequest ablated = request({5});
      ablated.mode = Mode::kAblated;
      auto evaluation = Evaluation::open(path, load(path), ablated, best_isa(), true);
      ASSERT_TRUE(evaluation) << evaluation.error().message();
      EvaluationObserver nobody;
      const StopFlag stop{false};
      ASSERT_TRUE(evaluation.value().run({.piece = piece}, stop, nobody));
      records.push_back(evaluation->record());
    }
    EXPECT_EQ(records[0], records[1]) << model << ": the result does not depend on how the rows are cut";
  }
}

TEST_F(EvaluationOfARun, AnInterruptedOneKeepsWhatIsCompleteAndGoesOn) {
  struct Stopper final : EvaluationObserver {
    void advanced(std::int64_t count) override { stop = (tokens += count) > 30; }
    std::int64_t tokens = 0;
    StopFlag stop{false};
  } stopper;
  Evaluation evaluation = open(request({5, 900})).value();
  const Status stopped = evaluation.run({.piece = 20}, stopper.stop, stopper);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind(), ErrorKind::kInterrupted);
  EXPECT_EQ(load_evaluation(record_path())->cells.size(), 2U);
  EXPECT_EQ(open(request({5, 900}))->missing_cells(), 2U);
}

TEST(EvaluatedCases, OfATaskWithLevelsAreItsOwnUnlessChosen) {
  const auto task = make_task("mqar", "V16L16P2").value();
  EvaluationRequest wanted = request({}, {});
  wanted.paper_scenarios = {Scenario::kRetention};
  wanted.paper_delays = {96};
  EXPECT_EQ(evaluated_cases(*task, wanted).value(), task->evaluated());
  wanted.scenarios = {"pairs-2"};
  wanted.delays = {16, 32};
  EXPECT_EQ(evaluated_cases(*task, wanted).value(), (std::vector{mqar_case(2, 16), mqar_case(2, 32)}));
  for (const std::string scenario : {"pairs-0", "retention"}) {
    wanted.scenarios = {scenario};
    EXPECT_EQ(evaluated_cases(*task, wanted).error().kind(), ErrorKind::kUsage) << scenario;
  }
  wanted.scenarios = {"pairs-8"};  // has no room in 16 tokens
  EXPECT_EQ(evaluated_cases(*task, wanted).error().kind(), ErrorKind::kUsage);
  wanted.scenarios.clear();
  wanted.kind = "curve";
  EXPECT_THAT(evaluated_cases(*task, wanted).error().message(), HasSubstr("mqar"));
}

class TrainedWeightsFile : public testing::Test {
 protected:
  Error refused(const std::map<std::string, std::string>& changes, const std::string& without = "") const {
    const TrainedRun run;
    auto metadata = run.metadata();
    for (const auto& [key, value] : changes) metadata[key] = value;
    metadata.erase(without);
    test::write_weights(folder_ / "x.safetensors", run, metadata);
    const auto loaded = TrainedWeights::load(folder_ / "x.safetensors");
    EXPECT_FALSE(loaded);
    return loaded ? Error(ErrorKind::kFailed, "") : loaded.error();
  }
  TemporaryFolder folder_;
};

TEST_F(TrainedWeightsFile, SaysWhichModelAndSettingItIsFor) {
  for (const Error& error : {refused({}, "model"), refused({}, "setting"), refused({{"setting", "A99V3"}}),
                             refused({{"setting", "A3V3"}}), refused({{"model", "gru"}}), refused({{"model", "gdn"}}),
                             refused({{"seed", "many"}}), refused({{"task", "mqra"}}), refused({{"task", "mqar"}}),
                             refused({{"task", "mqar"}, {"setting", "V16L16P2"}})}) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadData) << error.message();
    EXPECT_THAT(error.message(), HasSubstr("x.safetensors"));
  }
  EXPECT_THAT(refused({{"setting", "A3V3"}}).message(), HasSubstr("A3V3"));
  EXPECT_EQ(TrainedWeights::load(folder_ / "none.safetensors").error().kind(), ErrorKind::kMissingInput);
}

TEST_F(TrainedWeightsFile, MayBeAModelFileOfAnySizes) {
  ModelSpec spec = published_spec("schemamem", 5, 2).value();
  spec.sizes["slots"] = 16;
  const auto model = make_model<float>(spec).value();
  std::vector<float> weights(model->parameters().size());
  model->initialise("ours", 1, {weights.data(), {weights.size()}});
  const auto loaded = LoadedModel<float>::make(spec, weights, {}, {{"setting", "A2V2"}}).value();
  ASSERT_TRUE(save_model(folder_ / "small.safetensors", *loaded));
  const auto file = TrainedWeights::load(folder_ / "small.safetensors");
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_FALSE(file->about().seed);
  EXPECT_EQ(file->model(best_isa()).value()->fingerprint(), loaded->fingerprint());
}

}  // namespace
}  // namespace schemamem
