#include "check/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <functional>

#include "support/claims.h"
#include "support/program.h"
#include "support/run_hashes.h"
#include "support/temporary_folder.h"
#include "support/tiny_training.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A run that has ended at its step limit, with two checkpoints.
void train_tiny(const fs::path& folder) {
  const RunRequest request = test::tiny_request();
  RunObserver silent;
  const auto result =
      train_run(*test::tiny_model(), request, {.folder = folder, .environment = {}}, StopFlag(false), silent);
  ASSERT_TRUE(result) << result.error().message();
}

struct World {
  World() { train_tiny(run); }

  TemporaryFolder folder{memory_folder()};
  fs::path run = folder / "run";

  std::string newest() const {
    const Checkpoints checkpoints(run);
    return fs::relative(checkpoints.folder(checkpoints.complete().front()), run).string();
  }
  void unfinish() const {
    fs::remove(run / "result.json");
    fs::remove(run / "model.safetensors");
  }
};

void write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }
void replace(const fs::path& path, const std::string& from, const std::string& to) {
  std::string text = test::text_of(path);
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << path << " has no " << from;
  write(path, text.replace(at, from.size(), to));
}
void flip_last_byte(const fs::path& path) {
  std::string text = test::text_of(path);
  text.back() = static_cast<char>(text.back() ^ 1);
  write(path, text);
}

std::string all_of(const RunCheck& check) {
  std::string text;
  for (const Finding& finding : check.findings)
    text += finding.file + ": " + finding.what + " | " + finding.rescue + "\n";
  return text;
}

TEST(CheckRun, WhatTrainLeftIsWhole) {
  const World world;
  const RunCheck check = check_run(world.run);
  EXPECT_TRUE(check.whole()) << all_of(check);
  EXPECT_EQ(check.state, "step-limit");
  EXPECT_EQ(check.checkpoints, 2U);
  EXPECT_THAT(check.notes, IsEmpty());
}

TEST(CheckRun, AStoppedRunIsWholeAndItsUnsavedLinesAreNoDamage) {
  const World world;
  world.unfinish();
  std::ofstream(world.run / "metrics.jsonl", std::ios::app) << "{\"step\":";
  const RunCheck check = check_run(world.run);
  EXPECT_TRUE(check.whole()) << all_of(check);
  EXPECT_EQ(check.state, "unfinished");
  EXPECT_THAT(check.notes, SizeIs(1));
}

/// One kind of damage: what is done to a finished run, which file is named, and words of the finding.
struct Damage {
  const char* name;
  std::function<void(const World&)> make;
  std::string file, words;
};

std::vector<Damage> damages() {
  const auto in_newest = [](const World& world, const char* file) { return world.run / world.newest() / file; };
  return {
      {"a manifest that is no JSON", [](const World& w) { write(w.run / "run.json", "{"); }, "run.json", "JSON object"},
      {"a manifest of nested brackets", [](const World& w) { write(w.run / "run.json", std::string(100'000, '[')); },
       "run.json", "JSON object"},
      {"no manifest", [](const World& w) { fs::remove(w.run / "run.json"); }, "run.json", "missing"},
      {"a changed value of the recipe",
       [](const World& w) { replace(w.run / "run.json", "\"value\": \"5\"", "\"value\": \"6\""); }, "run.json", "hash"},
      {"another number of parameters",
       [](const World& w) { replace(w.run / "run.json", "\"parameters\": ", "\"parameters\": 1"); }, "run.json",
       "parameters"},
      {"a hash of another type",
       [](const World& w) { replace(w.run / "run.json", "\"hash\": \"", "\"hash\": 5, \"x\": \""); }, "run.json",
       "hash"},
      {"a byte of the newest optimizer state",
       [=](const World& w) { flip_last_byte(in_newest(w, "optimizer.safetensors")); }, "optimizer.safetensors",
       "SHA-256"},
      {"no weights in a checkpoint", [=](const World& w) { fs::remove(in_newest(w, "model.safetensors")); },
       "model.safetensors", "complete.json"},
      {"a marker that is a folder",
       [=](const World& w) {
         const fs::path marker = in_newest(w, "complete.json");
         fs::remove(marker);
         fs::create_directory(marker);
       },
       "complete.json", "a folder"},
      {"a checkpoint under another step's name",
       [](const World& w) { fs::rename(w.run / w.newest(), w.run / "checkpoints" / "step-000009999"); }, "state.json",
       "step 9999"},
      {"metrics shorter than a checkpoint counts on",
       [](const World& w) {
         w.unfinish();
         fs::resize_file(w.run / "metrics.jsonl", 10);
       },
       "metrics.jsonl", "counts on"},
      {"a line of the metrics that is no object",
       [](const World& w) { replace(w.run / "metrics.jsonl", "{\"step\"", "x\"step\""); }, "metrics.jsonl", "line 1"},
      {"metrics that end in half a line",
       [](const World& w) { fs::resize_file(w.run / "metrics.jsonl", fs::file_size(w.run / "metrics.jsonl") - 1); },
       "metrics.jsonl", "cut short"},
      {"a result of another run", [](const World& w) { replace(w.run / "result.json", "\"seed\": 7", "\"seed\": 8"); },
       "result.json", "seed"},
      {"a result that the metrics do not have",
       [](const World& w) { replace(w.run / "result.json", "\"lowest\": ", "\"lowest\": 9"); }, "result.json", "check"},
      {"a result with an unknown status", [](const World& w) { replace(w.run / "result.json", "step-limit", "done"); },
       "result.json", "status"},
      {"weights that are missing", [](const World& w) { fs::remove(w.run / "model.safetensors"); }, "model.safetensors",
       "missing"},
      {"weights that are cut",
       [](const World& w) {
         fs::resize_file(w.run / "model.safetensors", fs::file_size(w.run / "model.safetensors") / 2);
       },
       "model.safetensors", "truncated"},
      {"a link instead of the weights",
       [](const World& w) {
         fs::rename(w.run / "model.safetensors", w.folder / "outside");
         fs::create_symlink("../outside", w.run / "model.safetensors");
       },
       "model.safetensors", "symbolic link"},
      {"a pipe instead of the events",
       [](const World& w) {
         fs::remove(w.run / "events.jsonl");
         ASSERT_EQ(::mkfifo((w.run / "events.jsonl").c_str(), 0600), 0);
       },
       "events.jsonl", "a pipe"},
      {"a record that is no record",
       [](const World& w) {
         fs::create_directory(w.run / "evaluations");
         write(w.run / "evaluations" / "table-recurrent-1-1.json", "{}");
       },
       "evaluations/table-recurrent-1-1.json", "missing"},
      {"a TensorBoard file that was changed",
       [](const World& w) { flip_last_byte(w.run / "tensorboard" / "events.out.tfevents.schemamem"); }, "tensorboard",
       "record"},
  };
}

TEST(CheckRun, AClaimThatWasLeftIsANoteAndOneThatIsNoneIsDamage) {
  const World world;
  test::put_claim(world.run, 1, test::claim_of_another_host().line());
  const RunCheck left = check_run(world.run);
  EXPECT_THAT(left.findings, IsEmpty());
  ASSERT_THAT(left.notes, SizeIs(1));
  EXPECT_THAT(left.notes.front(), HasSubstr("claim-1: left by process"));
  test::put_claim(world.run, 1, "{}");
  const RunCheck broken = check_run(world.run);
  ASSERT_THAT(broken.findings, SizeIs(1));
  EXPECT_THAT(broken.findings.front().what, HasSubstr("claim-1"));
}

TEST(CheckRun, EveryDamageIsNamedWithItsFileAndAWayOut) {
  for (const Damage& damage : damages()) {
    SCOPED_TRACE(damage.name);
    const World world;
    damage.make(world);
    const RunCheck check = check_run(world.run);
    EXPECT_FALSE(check.whole());
    const auto named = std::find_if(check.findings.begin(), check.findings.end(), [&](const Finding& finding) {
      return finding.file.find(damage.file) != std::string::npos &&
             finding.what.find(damage.words) != std::string::npos;
    });
    EXPECT_NE(named, check.findings.end()) << all_of(check);
    for (const Finding& finding : check.findings) EXPECT_FALSE(finding.rescue.empty());
  }
}

TEST(CheckRun, TheWayOutOfLostWeightsGivesTheSameBits) {
  const World world;
  const std::string before = test::result_hashes(world.run);
  flip_last_byte(world.run / "model.safetensors");
  fs::resize_file(world.run / "model.safetensors", 100);
  const RunCheck damaged = check_run(world.run);
  ASSERT_THAT(damaged.findings, SizeIs(1));
  EXPECT_THAT(damaged.findings[0].rescue, HasSubstr("result.json and model.safetensors away"));
  world.unfinish();
  train_tiny(world.run);
  EXPECT_EQ(test::result_hashes(world.run), before);
  EXPECT_TRUE(check_run(world.run).whole());
}

TEST(RunsToCheck, RunsAreFoundRightBelowAndWithDeepAnywhere) {
  const World world;
  fs::create_directories(world.folder / "a" / "b");
  fs::rename(world.run, world.folder / "a" / "b" / "run");
  fs::create_directory_symlink(world.folder / "a", world.folder / "a" / "loop");
  EXPECT_EQ(runs_to_check(world.folder / "a", false).error().kind(), ErrorKind::kMissingInput);
  EXPECT_THAT(runs_to_check(world.folder / "a", true).value(), SizeIs(1));
  EXPECT_THAT(runs_to_check(world.folder.path() / "a" / "b", false).value(), SizeIs(1));
  EXPECT_EQ(runs_to_check("/nowhere/at/all", true).error().kind(), ErrorKind::kMissingInput);
}

TEST(RunsToCheck, ARunThatLostItsManifestIsNotOverlooked) {
  const World world;
  fs::remove(world.run / "run.json");
  EXPECT_THAT(runs_to_check(world.folder.path(), false).value(), SizeIs(1));
}

TEST(CheckRun, AllPublishedRunsAreWhole) {
  const auto runs = runs_to_check(fs::path(SCHEMAMEM_SOURCE_DIR) / "results", true);
  ASSERT_TRUE(runs) << runs.error().message();
  const auto grows = [](const fs::path& run) { return run.string().find("/results/endless") != std::string::npos; };
  const auto growing = std::count_if(runs->begin(), runs->end(), grows);  // the grid of `endless`, run by run
  EXPECT_THAT(*runs, SizeIs(165 + 3 + growing));
  std::size_t records = 0, files = 0;
  for (const fs::path& run : *runs) {
    if (fs::exists(run / "evaluations")) {
      for (const auto& file : fs::directory_iterator(run / "evaluations"))
        files += file.path().extension() == ".json" ? 1 : 0;
    }
    const RunCheck check = check_run(run);
    EXPECT_TRUE(check.whole()) << run << "\n" << all_of(check);
    records += check.records;
  }
  EXPECT_EQ(records, files);
  EXPECT_GE(records, 602U);
}

}  // namespace
}  // namespace schemamem
