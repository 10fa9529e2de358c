#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/eval_progress.h"
#include "support/cli.h"
#include "support/surroundings.h"
#include "support/temporary_folder.h"
#include "support/trained_run.h"
#include "system/process.h"

namespace schemamem {
namespace {

using test::call;
using test::Reply;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

constexpr const char* kQuick = " --episodes 3 --delays 5,9 --eval-seed 20261001 --threads 1";

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class EvalCommand : public testing::Test {
 protected:
  void SetUp() override { test::write_run(folder_ / "run"); }
  std::string run() const { return (folder_ / "run").string(); }
  fs::path record(const std::string& name) const { return folder_ / "run" / "evaluations" / name; }

  TemporaryFolder folder_;
};

TEST_F(EvalCommand, PrintsThePapersColumnsByDelay) {
  const Reply reply = call("eval " + run() + kQuick);
  EXPECT_EQ(reply.code, 0) << reply.err;
  EXPECT_THAT(reply.out, AllOf(HasSubstr("schemamem A2V2 seed 42, fast (1a2b3c4d)"), HasSubstr("(the paper's)"),
                               HasSubstr("Retained-R  Retained-I     Updated     Default"), Not(HasSubstr("record"))));
  EXPECT_EQ(std::count(reply.out.begin(), reply.out.end(), '\n'), 6);
  EXPECT_THAT(call("eval " + run() + kQuick).out, HasSubstr("from the record"));
  EXPECT_THAT(call("eval --all " + run() + kQuick).out, AllOf(HasSubstr("cross-entropy"), HasSubstr("immediate ")));
}

TEST_F(EvalCommand, EvaluatesThePapersSeedAndAnUnseenOneUnlessTold) {
  EXPECT_EQ(call("eval " + run() + " --episodes 1 --delays 3").code, 0);
  EXPECT_TRUE(fs::exists(record("table-recurrent-20261001-1.json")));
  EXPECT_TRUE(fs::exists(record("table-recurrent-20270407-1.json")));
}

TEST_F(EvalCommand, AnswersInJson) {
  const auto answer = nlohmann::json::parse(call("eval --json " + run() + kQuick).out);
  const auto& one = answer.at("evaluations").at(0);
  EXPECT_EQ(one.at("setting"), "A2V2");
  EXPECT_EQ(one.at("computed_cells"), 2 + 2 * (2 + 3 + 3));
  EXPECT_EQ(one.at("cells").size(), 18U);
  EXPECT_EQ(one.at("exact").at("retained_r").size(), 2U);
  EXPECT_EQ(nlohmann::json::parse(call("eval --json " + run() + kQuick).out).at("evaluations")[0]["computed_cells"], 0);
}

TEST_F(EvalCommand, TheNormalScoresOfTheAblationAreThoseOfTheEvaluation) {
  ASSERT_EQ(call("eval " + run() + kQuick + " --scenarios retention,interference,overwrite").code, 0);
  const std::string evaluated = text_of(record("table-recurrent-20261001-3.json"));
  fs::remove_all(folder_ / "run" / "evaluations");

  const Reply reply =
      call("ablate --json --threads 2 --batch 1 " + run() + " --episodes 3 --delays 5,9 --eval-seed 20261001");
  ASSERT_EQ(reply.code, 0) << reply.err;
  EXPECT_EQ(text_of(record("table-recurrent-20261001-3.json")), evaluated);
  EXPECT_TRUE(fs::exists(record("table-ablated-20261001-3.json")));
  const auto answer = nlohmann::json::parse(reply.out);
  const auto& cells = answer.at("ablations").at(0).at("cells");
  EXPECT_EQ(cells.size(), 16U);
  for (const auto& cell : cells)
    EXPECT_DOUBLE_EQ(cell.at("difference").get<double>(),
                     cell.at("normal").get<double>() - cell.at("ablated").get<double>());
  EXPECT_THAT(call("ablate " + run() + kQuick).out, AllOf(HasSubstr("at zero"), HasSubstr("Retained-I")));
}

TEST_F(EvalCommand, ABaselineAtZeroKnowsTheDefaultsAndNothingThatWasWritten) {
  const test::CurrentFolder here(SCHEMAMEM_SOURCE_DIR);
  const Reply reply = call("ablate a3v3-mamba3-steady-s42 --episodes 8 --delays 96 --eval-seed 3 --json");
  ASSERT_EQ(reply.code, 0) << reply.err;
  const auto ablation = nlohmann::json::parse(reply.out)["ablations"][0];
  for (const auto& cell : ablation["cells"]) {
    EXPECT_GT(cell["normal"], 99);
    if (cell["group"] == "default") {
      EXPECT_GT(cell["ablated"], 90) << cell;
    } else {
      EXPECT_LT(cell["ablated"], 30) << cell << ": values were chosen to differ from the default";
    }
  }
}

TEST_F(EvalCommand, ACurveIsARecordOfItsOwn) {
  const Reply reply = call("eval --curve " + run() + kQuick);
  EXPECT_EQ(reply.code, 0) << reply.err;
  EXPECT_TRUE(fs::exists(record("curve-recurrent-20261001-3.json")));
  EXPECT_THAT(call("eval --curve --scenarios immediate " + run()).err, HasSubstr("no curve"));
}

TEST_F(EvalCommand, AsksForAllAddressesAfterNumbersOfWrites) {
  const std::string few = " --episodes 3 --eval-seed 20261001 --writes 8,2";
  const Reply reply = call("eval " + run() + few);
  EXPECT_EQ(reply.code, 0) << reply.err;
  EXPECT_THAT(reply.out, HasSubstr("rounds W2R8, evaluation seed 20261001"));
  EXPECT_THAT(reply.out,
              HasSubstr("      writes         all     updated    retained   rewritten     default\n           2 "));
  EXPECT_TRUE(fs::exists(record("writes-W2R8-recurrent-20261001-3.json")));
  const auto again = nlohmann::json::parse(call("eval --json " + run() + few).out).at("evaluations").at(0);
  EXPECT_EQ(again.at("computed_cells"), 0);
  EXPECT_EQ(again.at("rounds"), "W2R8");
  EXPECT_EQ(call("eval " + run() + few + " --rounds W1R3D5E2").code, 0);
  EXPECT_TRUE(fs::exists(record("writes-W1R3D5E2-recurrent-20261001-3.json")));
  for (const char* wrong : {"--writes 0", "--writes x", "--writes 8 --curve", "--writes 8 --delays 96", "--rounds W2R8",
                            "--writes 8 --rounds W0R8", "--scenarios rounds --delays 96"}) {
    EXPECT_EQ(call("eval " + run() + " " + wrong).code, 64) << wrong;
  }
  EXPECT_THAT(call("eval " + run() + " --scenarios rounds --delays 96").err, HasSubstr("--writes"));
}

TEST_F(EvalCommand, WithAFloorHasRecordsOfItsOwn) {
  ASSERT_EQ(call("eval " + run() + kQuick).code, 0);
  const std::string without = text_of(record("table-recurrent-20261001-3.json"));
  const Reply reply = call("eval " + run() + kQuick + " --floor 0.5");
  EXPECT_EQ(reply.code, 0) << reply.err;
  EXPECT_THAT(reply.out, AllOf(HasSubstr("3 episodes, floor 0.5"), Not(HasSubstr("from the record"))));
  EXPECT_THAT(text_of(record("table-recurrent-floor0.5-20261001-3.json")), HasSubstr("\"floor\":0.5"));
  EXPECT_EQ(text_of(record("table-recurrent-20261001-3.json")), without);
  EXPECT_THAT(call("eval " + run() + kQuick).out, HasSubstr("3 episodes, no floor"));
  for (const char* none : {"1", "-0.1", "nan", "0.1x", "''"}) {
    const Reply refused = call("eval " + run() + kQuick + " --floor " + none);
    EXPECT_EQ(refused.code, 64) << none;
    EXPECT_THAT(refused.err, HasSubstr("--floor must be a number of at least 0 and below 1")) << none;
  }
}

TEST_F(EvalCommand, CalibrationTellsTheSizesOfChangesAndWhetherThereIsAGap) {
  const Reply reply = call("calibrate " + run() + " --episodes 2");
  EXPECT_EQ(reply.code, 0) << reply.err;
  EXPECT_THAT(reply.out, AllOf(HasSubstr("increment    read"), HasSubstr("increment    write"),
                               HasSubstr("largest change by a read")));
  const auto one =
      nlohmann::json::parse(call("calibrate --json " + run() + " --episodes 2").out).at("calibrations").at(0);
  EXPECT_EQ(one.at("floor").is_null(), one.at("largest_read") >= one.at("smallest_needed_write"));
  EXPECT_GT(one.at("changes").size(), 2U);
}

TEST_F(EvalCommand, FindsARunByName) {
  test::write_run(folder_ / "results" / "fast" / "x");
  const std::string results = " --results " + (folder_ / "results").string() + kQuick;
  EXPECT_EQ(call("eval --checkpoint A2V2-SchemaMem-fast-s42" + results).code, 0);
  const Reply typo = call("eval --checkpoint a2v2-schemamem-fats-s42" + results);
  EXPECT_EQ(typo.code, 64);
  EXPECT_THAT(typo.err, HasSubstr("Did you mean \"a2v2-schemamem-fast-s42\"?"));
}

TEST_F(EvalCommand, PutsNothingBesideAModelThatWasCalledByItsName) {
  const fs::path run = folder_ / "results" / "fast" / "x";
  test::write_run(run);
  const test::CurrentFolder here(folder_.path());
  const Reply named = call(std::string("eval a2v2-schemamem-fast-s42 --json") + kQuick);
  ASSERT_EQ(named.code, 0) << named.err;
  EXPECT_FALSE(fs::exists(run / "evaluations"));
  const Reply by_path = call("eval " + run.string() + " --json" + kQuick);
  ASSERT_EQ(by_path.code, 0) << by_path.err;
  EXPECT_TRUE(fs::exists(run / "evaluations"));
  EXPECT_EQ(nlohmann::json::parse(named.out)["evaluations"][0]["cells"],
            nlohmann::json::parse(by_path.out)["evaluations"][0]["cells"]);
}

TEST_F(EvalCommand, ShowsWhatItCannotKeep) {
  const fs::path run = folder_ / "run";
  test::write_run(run);
  std::ofstream(run / "evaluations") << "a file where the folder of records would be";
  const Reply reply = call("eval " + run.string() + kQuick);
  EXPECT_EQ(reply.code, 0) << reply.err;
  EXPECT_THAT(reply.err, HasSubstr("the record cannot be kept"));
  EXPECT_THAT(reply.out, HasSubstr("exact values in %"));
}

TEST_F(EvalCommand, FindsAModelByNameInTheFoldersOfTheEnvironmentAndFirstOfAllInResults) {
  test::write_weights(folder_ / "models" / "a2v2-schemamem-fast-s42.safetensors", {}, test::TrainedRun().metadata());
  test::write_weights(folder_ / "models" / "mine.safetensors", {}, test::TrainedRun().metadata());
  test::write_run(folder_ / "results" / "fast" / "x");
  const test::Variable models("SCHEMAMEM_MODELS", (folder_ / "models").string());
  const test::CurrentFolder here(folder_.path());
  EXPECT_THAT(call(std::string("eval --checkpoint mine") + kQuick).out, HasSubstr("mine.safetensors"));
  EXPECT_THAT(call(std::string("eval a2v2-schemamem-fast-s42") + kQuick).out, HasSubstr("results/fast/x/model"));
  const Reply typo = call("eval --checkpoint nime");
  EXPECT_EQ(typo.code, 64);
  EXPECT_THAT(typo.err, AllOf(HasSubstr("results, "), HasSubstr((folder_ / "models").string())));
}

TEST_F(EvalCommand, AnInstallationThatWasMovedFindsItsModels) {
  fs::create_directories(folder_ / "prefix" / "bin");
  fs::copy_file(SCHEMAMEM_PROGRAM, folder_ / "prefix" / "bin" / "schemamem");
  test::write_weights(folder_ / "prefix" / "share" / "schemamem" / "models" / "moved.safetensors", {},
                      test::TrainedRun().metadata());
  std::vector<std::string> words{"schemamem", "eval", "--checkpoint", "moved", "--episodes", "1", "--delays", "3"};
  Process process = Process::start(folder_ / "prefix" / "bin" / "schemamem", words, folder_ / "log").value();
  EXPECT_EQ(process.wait(), (ProcessEnd{.code = 0})) << text_of(folder_ / "log");
  EXPECT_THAT(text_of(folder_ / "log"), HasSubstr("prefix/share/schemamem/models/moved.safetensors"));
}

TEST_F(EvalCommand, MistakesAreToldWithAWayOut) {
  EXPECT_EQ(call("eval").code, 64);
  EXPECT_EQ(call("eval /nowhere/at/all").code, 66);
  for (const char* wrong :
       {"--delays 0", "--delays -5", "--delays 96,x", "--delays 1000000001", "--episodes 0", "--episodes -1",
        "--eval-seed x", "--scenarios retenton", "--scenarios transaction-half", "--threads 0", "--batch 0"}) {
    EXPECT_EQ(call("eval " + run() + " " + wrong).code, 64) << wrong;
  }
  EXPECT_THAT(call("eval " + run() + " --scenarios retenton").err, HasSubstr("Did you mean \"retention\"?"));
  test::write_manifest(folder_ / "begun", {});
  EXPECT_EQ(call("eval " + (folder_ / "begun").string()).code, 66);

  ASSERT_EQ(call("eval " + run() + kQuick).code, 0);
  std::ofstream(record("table-recurrent-20261001-3.json")) << "{";
  const Reply damaged = call("eval " + run() + kQuick);
  EXPECT_EQ(damaged.code, 65);
  EXPECT_THAT(damaged.err, HasSubstr("--force"));
  EXPECT_EQ(call("eval --force " + run() + kQuick).code, 0);
}

TEST(EvalProgress, DrawsABarWithTheTimeLeftOnATerminalAndRemovesIt) {
  std::ostringstream out;
  {
    EvalProgress progress(out, true, 100);
    progress.begin("schemamem A3V3");
    const auto start = EvalProgress::Clock::now();
    while (EvalProgress::Clock::now() - start < std::chrono::milliseconds(220)) {
    }
    progress.advanced(50);
  }
  EXPECT_THAT(out.str(), AllOf(HasSubstr("████████████░░░░░░░░░░░░  50.0 %  0:00 left"), HasSubstr("schemamem A3V3"),
                               testing::EndsWith("\r\x1b[K")));
}

TEST(EvalProgress, SaysNothingElsewhereWhenItIsQuick) {
  std::ostringstream out;
  EvalProgress progress(out, false, 100);
  progress.advanced(100);
  progress.close();
  EXPECT_EQ(out.str(), "");
}

TEST(EvalOfShippedWeights, LeavesNothingBesideThem) {
  const auto files = [] {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(SCHEMAMEM_SOURCE_DIR "/results/steady"))
      names.push_back(entry.path().string());
    std::sort(names.begin(), names.end());
    return names;
  };
  const auto before = files();
  const test::Variable models("SCHEMAMEM_MODELS", SCHEMAMEM_SOURCE_DIR "/results/steady");
  const Reply reply = call("eval a3v3-mamba3-steady-s42 --episodes 2 --delays 7 --eval-seed 3 --threads 1");
  EXPECT_EQ(reply.code, 0) << reply.err;
  EXPECT_EQ(files(), before);
}

}  // namespace
}  // namespace schemamem
