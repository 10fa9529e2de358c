#include "train/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>
#include <map>
#include <span>

#include "base/rng.h"
#include "base/sha256.h"
#include "support/failing_files.h"
#include "support/stopped_run.h"
#include "support/temporary_folder.h"
#include "support/tiny_training.h"

namespace schemamem {
namespace {

using test::advance;
using test::fingerprint;
using test::tiny_model;
using test::tiny_setup;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

/// Every file below a folder, with its content; links by where they lead.
std::map<std::string, std::string> content_of(const fs::path& folder) {
  std::map<std::string, std::string> content;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder).string();
    if (entry.is_symlink()) {
      content[name] = "-> " + fs::read_symlink(entry.path()).string();
    } else if (entry.is_regular_file()) {
      content[name] = read_text_file(entry.path(), 1 << 28).value();
    }
  }
  return content;
}

void damage(const fs::path& file) { std::ofstream(file, std::ios::app) << " "; }

/// As a failing disk does: nothing but the hash can tell.
void flip_last_byte(const fs::path& file) {
  std::fstream bytes(file, std::ios::binary | std::ios::in | std::ios::out);
  bytes.seekg(-1, std::ios::end);
  const int last = bytes.get();
  bytes.seekp(-1, std::ios::end);
  bytes.put(static_cast<char>(last ^ 1));
}

/// Two checkpoints, of steps 2 and 4.
class TwoCheckpoints : public testing::Test {
 protected:
  TwoCheckpoints() {
    for (const std::int64_t step : {2, 4}) {
      advance(trainer_, step);
      prints_[step] = fingerprint(trainer_);
      const RunMemory memory{.metrics_bytes = static_cast<std::uint64_t>(step), .hash = "1a2b3c4d"};
      require(static_cast<bool>(checkpoints_.save(take_snapshot(trainer_, memory))), "TwoCheckpoints: can be saved");
    }
  }

  Result<Checkpoints::Loaded> load(FileSystem& files = posix_files(), std::string_view hash = "1a2b3c4d") {
    return Checkpoints(folder_.path(), files).load(restored_, hash);
  }
  fs::path file(std::int64_t step, const char* name) const { return checkpoints_.folder(step) / name; }

  const std::unique_ptr<SequenceModel<float>> model_ = tiny_model();
  const TemporaryFolder folder_;
  Checkpoints checkpoints_{folder_.path()};
  Trainer trainer_{*model_, tiny_setup(), 1}, restored_{*model_, tiny_setup(), 1};
  std::map<std::int64_t, std::string> prints_;
};

TEST_F(TwoCheckpoints, TheNewestIsContinued) {
  const auto loaded = load();
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(fingerprint(restored_), prints_[4]);
  EXPECT_EQ(loaded->memory->metrics_bytes, 4U);
  EXPECT_THAT(loaded->set_aside, IsEmpty());
}

TEST_F(TwoCheckpoints, ADamagedOneIsSetAsideAndTheOneBeforeItContinued) {
  for (const char* name : {"model.safetensors", "optimizer.safetensors", "state.json", "complete.json"}) {
    const TemporaryFolder copy;
    fs::copy(folder_.path(), copy / "run", fs::copy_options::recursive);
    Checkpoints checkpoints(copy / "run");
    if (std::string(name) == "complete.json") {
      std::ofstream(checkpoints.folder(4) / name) << "{\"model.safetensors\": 5}";
    } else {
      damage(checkpoints.folder(4) / name);
    }
    const auto before = content_of(checkpoints.folder(4));

    const auto loaded = checkpoints.load(restored_);
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ(fingerprint(restored_), prints_[2]);
    const fs::path aside = copy / "run" / "checkpoints" / "damaged-step-000000004";
    ASSERT_EQ(loaded->set_aside.size(), 1U);
    EXPECT_THAT(loaded->set_aside[0], AllOf(HasSubstr("step 4"), HasSubstr(name), HasSubstr(aside.string())));
    EXPECT_EQ(content_of(aside), before);

    // Saving goes on beside it, and it is still there.
    Trainer further(*model_, tiny_setup(), 1);
    for (const std::int64_t step : {5, 6, 7}) {
      advance(further, step);
      ASSERT_TRUE(checkpoints.save(take_snapshot(further, {})));
    }
    EXPECT_EQ(content_of(aside), before);
  }
}

TEST_F(TwoCheckpoints, WhateverBytesChangeARunGoesOnFromAWholeOneOrIsRefusedAndNothingChanges) {
  const fs::path newest = checkpoints_.folder(4), aside = folder_ / "checkpoints" / "damaged-step-000000004";
  const auto whole = content_of(newest);
  const auto sha256 = [](const std::string& text) { return sha256_hex(std::as_bytes(std::span(text))); };
  for (std::uint64_t i = 0; i < 300; ++i) {
    Rng rng = Rng::stream(1, Purpose::kTest, i);
    const auto& [part, text] = *std::next(whole.begin(), static_cast<std::ptrdiff_t>(rng.below(whole.size())));
    std::string changed = text;
    for (std::uint64_t bytes = 1 + rng.below(4); bytes > 0; --bytes)
      changed[rng.below(changed.size())] = static_cast<char>(rng.below(256));
    if (rng.below(4) == 0) changed.resize(rng.below(changed.size()));
    std::ofstream(newest / part, std::ios::binary) << changed;
    // Half of them are signed again: then the part itself must be found wrong, or be as good as it says.
    if (std::string marker = whole.at("complete.json"); part != "complete.json" && rng.below(2) == 0) {
      marker.replace(marker.find(sha256(text)), 64, sha256(changed));
      std::ofstream(newest / "complete.json", std::ios::binary) << marker;
    }
    const auto before = content_of(folder_.path());
    const auto loaded = load();
    if (loaded) {
      ASSERT_TRUE(loaded->memory) << i << ": the run would begin again";
      EXPECT_EQ(restored_.position().step, loaded->set_aside.empty() ? 4 : 2) << i;
    } else {
      EXPECT_EQ(loaded.error().kind(), ErrorKind::kBadData) << i << ": " << loaded.error().message();
      EXPECT_EQ(content_of(folder_.path()), before) << i;
    }
    if (fs::exists(aside)) fs::rename(aside, newest);
    for (const auto& [name, content] : whole) std::ofstream(newest / name, std::ios::binary) << content;
  }
}

TEST_F(TwoCheckpoints, AMissingPartIsDamageAndAMissingMarkerAnUnfinishedSave) {
  fs::remove(file(4, "state.json"));
  EXPECT_THAT(load()->set_aside, ElementsAre(HasSubstr("state.json is missing")));
  fs::rename(folder_ / "checkpoints" / "damaged-step-000000004", checkpoints_.folder(4));
  fs::remove(file(4, "complete.json"));
  const auto loaded = load();
  EXPECT_THAT(loaded->set_aside, IsEmpty());
  EXPECT_EQ(loaded->memory->metrics_bytes, 2U);
}

TEST_F(TwoCheckpoints, WhenAllAreDamagedNothingIsChangedAndTheMessageSaysWhatToDo) {
  damage(file(2, "state.json"));
  flip_last_byte(file(4, "optimizer.safetensors"));
  const auto before = content_of(folder_.path());
  const auto loaded = load();
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().kind(), ErrorKind::kBadData);
  EXPECT_THAT(loaded.error().message(), AllOf(HasSubstr("step-000000004/optimizer.safetensors: expected the SHA-256"),
                                              HasSubstr("intact copy"), HasSubstr("from the beginning")));
  EXPECT_EQ(content_of(folder_.path()), before);
}

TEST_F(TwoCheckpoints, WhateverReadFailsNothingIsChangedAndNothingBeginsAgain) {
  const auto before = content_of(folder_.path());
  for (const int error : {EIO, EACCES, EMFILE}) {
    for (std::size_t k = 0;; ++k) {
      FailingFiles files(k, error);
      const auto loaded = load(files);
      if (!files.failed()) break;
      if (files.calls()[k] == "close") continue;  // of a file that was read
      ASSERT_FALSE(loaded) << k << ' ' << files.calls()[k];
      EXPECT_EQ(loaded.error().kind(), ErrorKind::kInputOutput) << k << ' ' << loaded.error().message();
      EXPECT_EQ(content_of(folder_.path()), before) << k;
    }
  }
}

TEST_F(TwoCheckpoints, ACircleOfLinksIsNoAbsence) {
  for (const char* name : {"complete.json", "state.json"}) {
    fs::rename(file(4, name), folder_ / "kept");
    fs::create_symlink(name, file(4, name));
    const auto before = content_of(folder_.path());
    const auto loaded = load();
    ASSERT_FALSE(loaded) << name;
    EXPECT_EQ(loaded.error().kind(), ErrorKind::kInputOutput) << loaded.error().message();
    EXPECT_EQ(content_of(folder_.path()), before);
    fs::remove(file(4, name));
    fs::rename(folder_ / "kept", file(4, name));
  }
}

TEST_F(TwoCheckpoints, NothingIsReadOrRemovedThroughALink) {
  const TemporaryFolder victim;
  std::ofstream(victim / "state.json") << "precious";
  fs::create_directory_symlink(victim.path(), checkpoints_.folder(1));
  const auto loaded = load();
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().kind(), ErrorKind::kBadData);
  EXPECT_THAT(loaded.error().message(), HasSubstr("step-000000001"));
  advance(trainer_, 5);
  EXPECT_TRUE(checkpoints_.save(take_snapshot(trainer_, {})));
  EXPECT_EQ(content_of(victim.path()).at("state.json"), "precious");
}

TEST_F(TwoCheckpoints, ASaveNeverRemovesANewerOne) {
  Trainer behind(*model_, tiny_setup(), 1);
  advance(behind, 3);
  ASSERT_TRUE(checkpoints_.save(take_snapshot(behind, {})));
  EXPECT_THAT(checkpoints_.complete(), ElementsAre(4, 3, 2));
}

TEST_F(TwoCheckpoints, OneOfAnotherRunIsRefused) {
  const auto loaded = load(posix_files(), "ffffffff");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().kind(), ErrorKind::kBadData);
  EXPECT_THAT(loaded.error().message(),
              AllOf(HasSubstr("state.json"), HasSubstr("1a2b3c4d"), HasSubstr("ffffffff"), HasSubstr("another run")));
}

TEST_F(TwoCheckpoints, OneFromBeforeTheyNamedTheirRunIsRead) {
  const fs::path path = file(4, "state.json");
  std::string text = read_text_file(path, 1 << 20).value();
  const std::string line = " \"hash\": \"1a2b3c4d\",\n";
  ASSERT_NE(text.find(line), std::string::npos);
  std::ofstream(path) << text.erase(text.find(line), line.size());
  test::seal_checkpoint(checkpoints_.folder(4));
  ASSERT_TRUE(load());
  EXPECT_EQ(fingerprint(restored_), prints_[4]);
}

TEST_F(TwoCheckpoints, APositionThatTheRunCannotHaveIsRefused) {
  const fs::path path = file(4, "state.json");
  const std::string whole = read_text_file(path, 1 << 20).value();
  const std::map<std::string, std::string> changes{{"\"stage\": 0", "\"stage\": 99"},
                                                   {"\"stage\": 0,", "\"stage\": -1,"},
                                                   {"\"stage_step\": 4", "\"stage_step\": 5"},
                                                   {"\"step\": 4", "\"step\": 5"},
                                                   {"\"optimizer_steps\": 4", "\"optimizer_steps\": 9"},
                                                   {"\"passes\": 0", "\"passes\": \"many\""},
                                                   {"\"hash\": \"1a2b3c4d\"", "\"hash\": 5"}};
  for (const auto& [from, to] : changes) {
    std::string text = whole;
    ASSERT_NE(text.find(from), std::string::npos) << from << whole;
    std::ofstream(path) << text.replace(text.find(from), from.size(), to);
    test::seal_checkpoint(checkpoints_.folder(4));
    const auto loaded = load();
    ASSERT_FALSE(loaded) << to;
    EXPECT_EQ(loaded.error().kind(), ErrorKind::kBadData) << to;
    EXPECT_THAT(loaded.error().message(), HasSubstr("step-000000004")) << to;
  }
}

TEST(Checkpoints, OfAnEmptyFolderThereAreNone) {
  const auto model = tiny_model();
  const TemporaryFolder folder;
  Trainer trainer(*model, tiny_setup(), 1);
  const auto loaded = Checkpoints(folder.path()).load(trainer);
  ASSERT_TRUE(loaded);
  EXPECT_FALSE(loaded->memory);
}

TEST(Run, NeverBeginsAgainBecauseItsCheckpointsAreDamaged) {
  const TemporaryFolder folder;
  test::train_tiny_run(folder / "run", 27);
  for (const auto& entry : fs::directory_iterator(folder / "run" / "checkpoints")) damage(entry.path() / "state.json");
  const auto before = content_of(folder / "run");
  const auto model = tiny_model();
  RunObserver silent;
  const auto result = train_run(*model, test::tiny_request(), {.folder = folder / "run"}, StopFlag(false), silent);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind(), ErrorKind::kBadData);
  auto after = content_of(folder / "run");
  after["lock"] = before.at("lock");
  EXPECT_EQ(after, before);
}

}  // namespace
}  // namespace schemamem
