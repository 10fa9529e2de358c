#include "train/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "base/rng.h"
#include "catalog/model_files.h"
#include "record/tensor_files.h"
#include "support/claims.h"
#include "support/failing_files.h"
#include "support/run_hashes.h"
#include "support/temporary_folder.h"
#include "support/tiny_training.h"
#include "system/file_lock.h"
#include "train/checkpoint.h"

namespace schemamem {
namespace {

using test::advance;
using test::fingerprint;
using test::tiny_model;
using test::tiny_request;
using test::tiny_setup;
using testing::HasSubstr;

/// A run through every phase: 9 stages of 6 steps each would need a target that a tiny model does not reach, so that
/// the run ends at the limit of the last transaction stage.
const std::vector<std::string> kLong{"transactions.limit=60"};

struct World {
  std::unique_ptr<SequenceModel<float>> model = tiny_model();
  RunRequest request = tiny_request(kLong);
  TemporaryFolder folder{memory_folder()};
  RunObserver silent;

  RunOptions options(const std::string& name, int threads = 1) const {
    return {.folder = folder / name, .threads = threads, .environment = {}};
  }
  Result<RunResult> train(const std::string& name, const StopFlag& stop = StopFlag(false), int threads = 1) {
    return train_run(*model, request, options(name, threads), stop, silent);
  }
  std::string result_hash(const std::string& name) const { return test::result_hashes(folder / name); }
};

/// Stops a run after a given number of steps.
class StopAfter final : public RunObserver {
 public:
  StopAfter(std::int64_t step, StopFlag& stop) : step_(step), stop_(stop) {}
  void stepped(const Trainer&, const StepReport& report) override {
    if (report.step == step_) stop_ = true;
  }

 private:
  std::int64_t step_;
  StopFlag& stop_;
};

TEST(Run, ReachingTheStepLimitIsToldAndNoSuccess) {
  World world;
  const auto result = world.train("a");
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->status, "step-limit");
  EXPECT_FALSE(result->was_done);
  for (const char* file : {"run.json", "metrics.jsonl", "events.jsonl", "result.json", "model.safetensors"})
    EXPECT_TRUE(std::filesystem::exists(world.folder / "a" / file)) << file;
}

TEST(Run, ItsWeightsAndThoseOfItsCheckpointsAreModelFiles) {
  World world;
  const auto result = world.train("a");
  ASSERT_TRUE(result) << result.error().message();
  const auto notes = [&](std::int64_t step) {
    return std::map<std::string, std::string>{
        {"task", "address-value"},      {"setting", "A2V2"}, {"seed", "7"},
        {"step", std::to_string(step)}, {"recipe", "fast"},  {"hash", run_hash(world.request)},
        {"marks", "validity"}};
  };
  const auto whole = load_model<float>((world.folder / "a").string());
  ASSERT_TRUE(whole) << whole.error().message();
  EXPECT_EQ((*whole)->spec(), world.model->spec());
  EXPECT_EQ((*whole)->notes(), notes(result->steps));
  const Checkpoints checkpoints(world.folder / "a");
  ASSERT_FALSE(checkpoints.complete().empty());
  for (const std::int64_t step : checkpoints.complete()) {
    const auto part = load_model<float>(checkpoints.folder(step).string());
    ASSERT_TRUE(part) << part.error().message();
    EXPECT_EQ((*part)->spec(), world.model->spec());
    EXPECT_EQ((*part)->notes(), notes(step));
  }
}

TEST(Run, AFinishedRunIsLeftAlone) {
  World world;
  ASSERT_TRUE(world.train("a"));
  const std::string before = world.result_hash("a") + test::file_hash(world.folder / "a" / "result.json");
  const auto again = world.train("a");
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->was_done);
  EXPECT_EQ(again->status, "step-limit");
  EXPECT_EQ(world.result_hash("a") + test::file_hash(world.folder / "a" / "result.json"), before);
}

TEST(Run, AnotherRunIsNeverOverwritten) {
  World world;
  ASSERT_TRUE(world.train("a"));
  world.request.seed += 1;
  const auto other = world.train("a");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind(), ErrorKind::kCannotCreate);
  EXPECT_THAT(other.error().message(), HasSubstr("never overwritten"));
}

TEST(Run, ASecondProcessIsRefused) {
  World world;
  ASSERT_TRUE(make_directories(world.folder / "a"));
  const auto lock = FileLock::acquire(world.folder / "a" / "lock");
  ASSERT_TRUE(lock);
  const auto result = world.train("a");
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(), HasSubstr("process " + std::to_string(::getpid())));
}

/// While a run trains, another host takes it for dead.
class TakeOverAt final : public RunObserver {
 public:
  TakeOverAt(std::int64_t step, std::filesystem::path folder) : step_(step), folder_(std::move(folder)) {}
  void stepped(const Trainer&, const StepReport& report) override {
    if (report.step != step_) return;
    std::filesystem::remove(folder_ / "claim-1");
    test::put_claim(folder_, 2, test::claim_of_another_host().line());
    for (const char* name : {"metrics.jsonl", "events.jsonl"}) before += text_of(name);
  }
  std::string text_of(const char* name) const { return read_text_file(folder_ / name, 1 << 20).value(); }
  std::string before;

 private:
  std::int64_t step_;
  std::filesystem::path folder_;
};

TEST(Run, ThatAnotherHostHasTakenOverEndsAndWritesNothingMore) {
  World world;
  TakeOverAt taken(10, world.folder / "a");
  const auto result = train_run(*world.model, world.request, world.options("a"), StopFlag(false), taken);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind(), ErrorKind::kCannotCreate);
  EXPECT_THAT(result.error().message(), HasSubstr("another process has taken over"));
  EXPECT_EQ(taken.text_of("metrics.jsonl") + taken.text_of("events.jsonl"), taken.before);
  EXPECT_FALSE(is_absent(world.folder / "a" / "claim-2"));
  ASSERT_TRUE(world.train("a")) << "once the other one has been silent";
  ASSERT_TRUE(world.train("whole"));
  EXPECT_EQ(world.result_hash("a"), world.result_hash("whole"));
  EXPECT_TRUE(is_absent(world.folder / "a" / "claim-3")) << "nothing of it stays";
}

TEST(Run, StoppedAtAnyStepAndResumedItIsTheSameRun) {
  World world;
  ASSERT_TRUE(world.train("whole"));
  const std::string expected = world.result_hash("whole");
  Rng rng = Rng::stream(1, Purpose::kTest, 0);
  for (int attempt = 0; attempt < 4; ++attempt) {
    const std::string name = "part" + std::to_string(attempt);
    for (std::int64_t step = 1;; step += 1 + static_cast<std::int64_t>(rng.below(30))) {
      StopFlag stop{false};
      StopAfter observer(step, stop);
      const auto result = train_run(*world.model, world.request, world.options(name, 1 + attempt % 2), stop, observer);
      if (result) break;
      ASSERT_EQ(result.error().kind(), ErrorKind::kInterrupted) << result.error().message();
    }
    EXPECT_EQ(world.result_hash(name), expected) << attempt;
  }
}

/// The record of a run without its times.
nlohmann::json record_of(const std::filesystem::path& run) {
  nlohmann::json record = nlohmann::json::parse(std::ifstream(run / "result.json"));
  record.erase("seconds");
  return record;
}

TEST(Run, ResumedAfterItsLastCheckItTellsTheSameResult) {
  World world;
  ASSERT_TRUE(world.train("a"));
  const nlohmann::json expected = record_of(world.folder / "a");
  EXPECT_EQ(expected.at("last_check").at("stage"), "transactions-full");
  EXPECT_EQ(expected.at("weights"), "last");
  for (const char* file : {"result.json", "model.safetensors"}) std::filesystem::remove(world.folder / "a" / file);
  ASSERT_TRUE(world.train("a"));
  EXPECT_EQ(record_of(world.folder / "a"), expected);
}

TEST(Run, PassedMeansThatTheWeightsKeptMetTheTarget) {
  World world;
  world.request = tiny_request({"cooldown.steps=3"});
  Trainer trainer(*world.model, tiny_setup({"cooldown.steps=3"}), 1);
  trainer.enter(trainer.curriculum().stages().size() - 1);
  ASSERT_TRUE(begin_run_at(trainer.position().stage, *world.model, world.request, world.folder / "a"));
  const auto result = world.train("a");
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_TRUE(result->fell_back);
  const nlohmann::json record = record_of(world.folder / "a");
  EXPECT_EQ(record.at("status"), "passed");
  EXPECT_EQ(record.at("weights"), "before-cooldown");
  EXPECT_EQ(record.at("last_check").at("stage"), "cooldown");
  const auto kept = load_tensors(world.folder / "a" / "model.safetensors");
  ASSERT_TRUE(kept);
  for (const NamedTensor& tensor : trainer.model_tensors()) {
    const auto values = kept->values<float>(tensor.name);
    ASSERT_TRUE(values);
    EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(*values)), tensor.bytes)) << tensor.name;
  }
  EXPECT_TRUE(world.train("a")->fell_back) << "and is remembered";
}

TEST(Run, WhateverCallFailsItIsContinuedToTheSameEnd) {
  World world;
  world.request = tiny_request({"transactions.history_thresholds=[100,0,0]", "transactions.limit=2"});
  ASSERT_TRUE(world.train("whole"));
  const std::string expected = world.result_hash("whole");
  std::set<std::string> failed;
  for (std::size_t k = 0;; ++k) {
    const std::string name = "run" + std::to_string(k);
    FailingFiles files(k, EIO);
    const auto broken =
        train_run(*world.model, world.request, world.options(name), StopFlag(false), world.silent, files);
    if (!files.failed()) {
      EXPECT_TRUE(broken);
      break;
    }
    failed.insert(files.calls()[k]);
    const auto healed = world.train(name);
    ASSERT_TRUE(healed) << k << ' ' << files.calls()[k] << ": " << healed.error().message();
    EXPECT_EQ(world.result_hash(name), expected) << k << ' ' << files.calls()[k];
  }
  EXPECT_THAT(failed, testing::IsSupersetOf({"make_directory", "create", "write", "sync", "rename", "open_directory"}));
}

/// Hears how long checkpoints took, in a run that dawdles between them.
struct SlowBetweenSaves final : RunObserver {
  void stepped(const Trainer&, const StepReport&) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  void saved(std::int64_t step, double seconds) override { took[step] = seconds; }
  std::map<std::int64_t, double> took;
};

TEST(Run, TellsHowLongACheckpointTookAndNotWhenTheNextOneBegan) {
  World world;
  world.request = tiny_request({"transactions.history_thresholds=[100,0,0]", "transactions.limit=12"});
  SlowBetweenSaves heard;
  ASSERT_TRUE(train_run(*world.model, world.request, world.options("a"), StopFlag(false), heard));
  ASSERT_GE(heard.took.size(), 2U);
  for (const auto& [step, seconds] : heard.took) {
    EXPECT_GT(seconds, 0) << step;
    EXPECT_LT(seconds, 0.4) << step << ": six steps of 100 ms lie between two checkpoints";
  }
}

TEST(Run, IsReadBackFromItsManifest) {
  World world;
  ASSERT_TRUE(world.train("a"));
  const auto stored = read_run(world.folder / "a");
  ASSERT_TRUE(stored) << stored.error().message();
  EXPECT_EQ(run_hash(stored->request), run_hash(world.request));
  EXPECT_EQ(stored->request.recipe.origin, world.request.recipe.origin);
  EXPECT_EQ(read_run(world.folder / "nowhere").error().kind(), ErrorKind::kMissingInput);
}

TEST(RunHash, ChangesWithEveryFieldOfTheRecipe) {
  const RunRequest request = tiny_request();
  const std::string before = run_hash(request);
  RunRequest other = request;
  other.recipe.recipe.loss.filler += 1e-15;
  EXPECT_NE(run_hash(other), before);
  other = request;
  other.seed += 1;
  EXPECT_NE(run_hash(other), before);
  EXPECT_THAT(run_name(request), testing::MatchesRegex("schemamem-A2V2-fast-s7-[0-9a-f]{8}"));
}

TEST(RunHash, PublishedRunsKeepTheirNames) {
  for (const auto& [model, name] : {std::pair{"schemamem", "schemamem-A3V3-fast-s42-c01908b5"},
                                    {"gdn", "gdn-A3V3-fast-s42-0fc6e537"},
                                    {"mamba3", "mamba3-A3V3-fast-s42-9c2e7103"}}) {
    RunRequest request{.model = {.name = model},
                       .task = make_task("address-value", "A3V3").value(),
                       .seed = 42,
                       .recipe = resolve_recipe("fast").value()};
    EXPECT_EQ(run_name(request), name);
    request.model.set = {{"width", "32"}};
    EXPECT_EQ(run_name(request), name) << "a published size is the published model, whoever sets it";
    const auto stored = read_run(std::filesystem::path(SCHEMAMEM_SOURCE_DIR) / "results" / "fast" / name);
    ASSERT_TRUE(stored) << stored.error().message();
    EXPECT_EQ(run_name(stored->request), name);
    EXPECT_EQ(stored->request.task->name(), "address-value");
    EXPECT_EQ(stored->request.model, ModelChoice{.name = model});
  }
}

TEST(RunHash, ChangesWithSizesAndTaskAndLaterFields) {
  const RunRequest published{.model = {.name = "schemamem"},
                             .task = make_task("address-value", "A3V3").value(),
                             .seed = 42,
                             .recipe = resolve_recipe("fast").value()};
  std::set<std::string> hashes{run_hash(published)};
  RunRequest other = published;
  for (const char* slots : {"64", "65"}) {
    other.model.set = {{"slots", slots}};
    EXPECT_TRUE(hashes.insert(run_hash(other)).second) << slots;
  }
  other = published;
  for (const char* setting : {"V16L16P2", "V16L16P3", "V16L16P2G50"}) {
    other.task = make_task("mqar", setting).value();
    EXPECT_TRUE(hashes.insert(run_hash(other)).second) << setting;
  }
  EXPECT_THAT(run_name(other), testing::MatchesRegex("schemamem-V16L16P2G50-fast-s42-[0-9a-f]{8}"));
  other = published;
  other.recipe.recipe.levels.limit += 1;
  EXPECT_TRUE(hashes.insert(run_hash(other)).second);
  other.recipe.recipe.batch.shards = 64;
  EXPECT_TRUE(hashes.insert(run_hash(other)).second);
}

class RecallRunOfEveryModel : public testing::TestWithParam<std::string> {};

TEST_P(RecallRunOfEveryModel, IsContinuedFromItsManifestToTheSameBits) {
  const RunRequest request =
      tiny_request({"levels.threshold=0", "validation.passes=3", "cooldown.steps=7", "levels.limit=100"}, GetParam(),
                   test::kTinyRecall);
  const auto model = make_model(request).value();
  const TemporaryFolder folder(memory_folder());
  RunObserver silent;
  const auto whole = train_run(*model, request, {.folder = folder / "whole"}, StopFlag(false), silent);
  ASSERT_TRUE(whole) << whole.error().message();
  EXPECT_EQ(whole->status, "passed");
  EXPECT_EQ(whole->steps, 3 * 6 + 7);
  const std::string expected = test::result_hashes(folder / "whole");

  for (const std::int64_t step : {1, 6, 13, 18, 20}) {
    const auto path = folder / ("part" + std::to_string(step));
    StopFlag stop{false};
    StopAfter observer(step, stop);
    ASSERT_FALSE(train_run(*model, request, {.folder = path, .threads = 2}, stop, observer));
    const auto stored = read_run(path);
    ASSERT_TRUE(stored) << stored.error().message();
    EXPECT_EQ(stored->request.model, request.model);
    EXPECT_EQ(stored->request.task->name(), "mqar");
    EXPECT_EQ(stored->request.task->setting(), "V16L16P2");
    EXPECT_EQ(run_hash(stored->request), run_hash(request));
    const auto again = make_model(stored->request).value();
    EXPECT_EQ(again->spec(), model->spec());
    ASSERT_TRUE(train_run(*again, stored->request, {.folder = path, .threads = 3}, StopFlag(false), silent));
    EXPECT_EQ(test::result_hashes(path), expected) << "stopped after step " << step;
  }
}

TEST_P(RecallRunOfEveryModel, SaysItsTaskAndSizesInItsFiles) {
  const RunRequest request = tiny_request({"levels.threshold=0"}, GetParam(), test::kTinyRecall);
  const TemporaryFolder folder(memory_folder());
  RunObserver silent;
  const auto model = make_model(request).value();
  ASSERT_TRUE(train_run(*model, request, {.folder = folder / "a"}, StopFlag(false), silent));
  const nlohmann::json manifest = nlohmann::json::parse(std::ifstream(folder / "a" / "run.json"));
  EXPECT_EQ(manifest.at("task"), "mqar");
  EXPECT_EQ(manifest.at("setting"), "V16L16P2");
  EXPECT_EQ(manifest.at("model_set"), nlohmann::json(request.model.set));
  EXPECT_TRUE(manifest.at("config").contains("levels.threshold"));
  EXPECT_FALSE(manifest.at("config").contains("levels.rate")) << "at its default it is silent";
  const nlohmann::json record = record_of(folder / "a");
  EXPECT_EQ(record.at("task"), "mqar");
  EXPECT_EQ(record.at("target"), 0);
  EXPECT_EQ(record.at("last_check").at("groups").at(0).at("scenario"), "pairs-2");
  EXPECT_EQ(record.at("last_check").at("groups").at(0).at("group"), "early");
  const auto loaded = load_model<float>((folder / "a").string());
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ((*loaded)->spec(), model->spec());
}

INSTANTIATE_TEST_SUITE_P(Models, RecallRunOfEveryModel, testing::ValuesIn(model_names()),
                         [](const auto& tested) { return tested.param; });

TEST(Run, AManifestWithSizesThatNoModelHasIsRefused) {
  World world;
  ASSERT_TRUE(world.train("a"));
  nlohmann::json manifest = nlohmann::json::parse(std::ifstream(world.folder / "a" / "run.json"));
  manifest["model_set"]["slots"] = "none";
  std::ofstream(world.folder / "a" / "run.json") << manifest.dump();
  const auto stored = read_run(world.folder / "a");
  ASSERT_FALSE(stored);
  EXPECT_EQ(stored.error().kind(), ErrorKind::kBadData);
  EXPECT_THAT(stored.error().message(), testing::AllOf(HasSubstr("run.json"), HasSubstr("slots")));
}

TEST(Checkpoints, WhateverCallOfASaveFailsTheEarlierCheckpointLoads) {
  const auto model = tiny_model();
  std::set<std::string> failed;
  for (std::size_t k = 0;; ++k) {
    const TemporaryFolder folder(memory_folder());
    Trainer trainer(*model, tiny_setup(), 1);
    std::string earlier;
    for (const std::int64_t step : {2, 3}) {  // two, so that the third save also removes one
      advance(trainer, step);
      earlier = fingerprint(trainer);
      ASSERT_TRUE(Checkpoints(folder.path()).save(take_snapshot(trainer, {.metrics_bytes = 3})));
    }
    advance(trainer, 5);
    FailingFiles files(k, k % 2 == 0 ? ENOSPC : EIO, 4000);
    const Status saved = Checkpoints(folder.path(), files).save(take_snapshot(trainer, {.metrics_bytes = 5}));

    Trainer restored(*model, tiny_setup(), 1);
    const auto memory = Checkpoints(folder.path()).load(restored);
    ASSERT_TRUE(memory) << k << ": " << memory.error().message();
    ASSERT_TRUE(memory->memory) << k;
    // One that is complete although its save failed: the sync of the folder came after the rename.
    const bool is_third = saved || memory->memory->metrics_bytes == 5;
    EXPECT_EQ(fingerprint(restored), is_third ? fingerprint(trainer) : earlier) << k;
    if (!files.failed()) break;
    failed.insert(files.calls()[k]);

    // The same save, tried again, succeeds.
    ASSERT_TRUE(Checkpoints(folder.path()).save(take_snapshot(trainer, {.metrics_bytes = 5}))) << k;
    Trainer again(*model, tiny_setup(), 1);
    ASSERT_TRUE(Checkpoints(folder.path()).load(again)->memory);
    EXPECT_EQ(fingerprint(again), fingerprint(trainer)) << k;
  }
  EXPECT_THAT(failed, testing::UnorderedElementsAre("make_directory", "free_space", "create", "write", "sync", "close",
                                                    "rename", "open_directory", "remove"));
}

TEST(Checkpoints, OnlyTheNewestAreKept) {
  const auto model = tiny_model();
  const TemporaryFolder folder(memory_folder());
  Checkpoints checkpoints(folder.path());
  Trainer trainer(*model, tiny_setup(), 1);
  for (std::int64_t step = 1; step <= 5; ++step) {
    advance(trainer, step);
    ASSERT_TRUE(checkpoints.save(take_snapshot(trainer, {})));
  }
  EXPECT_THAT(checkpoints.complete(), testing::ElementsAre(5, 4));
  EXPECT_FALSE(std::filesystem::exists(checkpoints.folder(3)));
}

}  // namespace
}  // namespace schemamem
