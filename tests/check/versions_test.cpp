#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "catalog/model_files.h"
#include "check/check.h"
#include "record/evaluation_record.h"
#include "support/run_hashes.h"
#include "support/temporary_folder.h"
#include "train/run.h"

// What every released version wrote is read for ever: tests/data/versions/<version> has a run of each model and task,
// with checkpoints, records and the state of a stream; scripts/write_version.sh makes those of a version that is
// released.

namespace schemamem {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kBefore = 61, kBehind = 40;  // rows that a stored state has read, and that are read behind it
constexpr EngineChoice kEngine{.isa = Isa::kBaseline};

/// The instruction set that the runs were trained with, which every x86-64 has.
bool has_baseline() {
  const auto isas = available_isas();
  return std::find(isas.begin(), isas.end(), Isa::kBaseline) != isas.end();
}

std::vector<fs::path> stored_runs() {
  std::vector<fs::path> runs;
  for (const auto& version : fs::directory_iterator(fs::path(SCHEMAMEM_TEST_DATA) / "versions")) {
    for (const auto& run : fs::directory_iterator(version)) {
      if (run.is_directory()) runs.push_back(run.path());
    }
  }
  std::sort(runs.begin(), runs.end());
  return runs;
}

fs::path state_of(const fs::path& run) { return fs::path(run).replace_extension(".state"); }

/// Bits that follow from their place; the last one, which says whether a row writes, changes every few rows.
std::vector<float> row(std::int64_t number, std::size_t width) {
  std::vector<float> bits(width);
  for (std::size_t i = 0; i < width; ++i)
    bits[i] = static_cast<float>((number * 5 + static_cast<std::int64_t>(i) * number / 3) % 2);
  bits.back() = static_cast<float>((number / 7) % 2);
  return bits;
}

/// A stream that has read the first rows.
Stream<float> begun_stream(const fs::path& run) {
  Stream<float> stream(load_model<float>(run.string(), kEngine).value());
  for (std::int64_t i = 0; i < kBefore; ++i) stream.push(row(i, stream.model()->model().config().inputs));
  return stream;
}

TEST(Versions, RunsOfEveryVersionAreWhole) {
  ASSERT_GE(stored_runs().size(), 4U);
  for (const fs::path& run : stored_runs()) {
    const RunCheck check = check_run(run);
    EXPECT_EQ(check.checkpoints, 2U) << run;
    for (const Finding& finding : check.findings) ADD_FAILURE() << run << ": " << finding.file << ": " << finding.what;
  }
}

TEST(Versions, RunsOfEveryVersionGoOnFromTheirCheckpointsToTheSameBits) {
  if (!has_baseline()) GTEST_SKIP() << "the runs were trained with the instruction set baseline";
  for (const fs::path& stored : stored_runs()) {
    SCOPED_TRACE(stored);
    const TemporaryFolder folder(memory_folder());
    const fs::path run = folder / "run";
    fs::copy(stored, run, fs::copy_options::recursive);
    const Checkpoints checkpoints(run);
    fs::remove_all(checkpoints.folder(checkpoints.complete().front()));
    fs::remove(run / "result.json");
    fs::remove(run / "model.safetensors");

    const auto asked = read_run(run);
    ASSERT_TRUE(asked) << asked.error().message();
    const auto model = make_model(asked->request, kEngine);
    ASSERT_TRUE(model) << model.error().message();
    RunObserver silent;
    const auto result = train_run(**model, asked->request, {.folder = run, .isa = Isa::kBaseline, .environment = {}},
                                  StopFlag(false), silent);
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(test::result_hashes(run), test::result_hashes(stored));
  }
}

TEST(Versions, RecordsOfEveryVersionAreRead) {
  std::size_t records = 0;
  for (const fs::path& run : stored_runs()) {
    const auto found = load_evaluations(run / "evaluations");
    ASSERT_TRUE(found) << found.error().message();
    records += found->size();
  }
  EXPECT_GE(records, 2U);
}

TEST(Versions, StatesOfEveryVersionGoOnAsIfTheStreamHadNeverEnded) {
  if (!has_baseline()) GTEST_SKIP() << "the states were made with the instruction set baseline";
  std::size_t states = 0;
  for (const fs::path& run : stored_runs()) {
    if (!fs::exists(state_of(run))) continue;
    SCOPED_TRACE(run);
    ++states;
    Stream<float> whole = begun_stream(run);
    Stream<float> restored(whole.model());
    const Status loaded = load_state(state_of(run), restored);
    ASSERT_TRUE(loaded) << loaded.error().message();
    for (std::int64_t i = kBefore; i < kBefore + kBehind; ++i) {
      const auto next = row(i, whole.model()->model().config().inputs);
      const auto a = whole.push(next), b = restored.push(next);
      ASSERT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << "row " << i;
    }
  }
  EXPECT_GE(states, 3U);
}

/// For scripts/write_version.sh.
TEST(Versions, DISABLED_WriteStates) {
  const char* into = std::getenv("SCHEMAMEM_STATES");
  ASSERT_NE(into, nullptr);
  for (const char* name : {"schemamem", "gdn", "mamba3"}) {
    const fs::path run = fs::path(into) / name;
    ASSERT_TRUE(save_state(state_of(run), begun_stream(run)));
  }
}

}  // namespace
}  // namespace schemamem
