// Files of a run that somebody damaged, or made so: every command that reads one says which it is and ends with 65.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/cli.h"
#include "support/made_runs.h"
#include "support/stopped_run.h"
#include "support/temporary_folder.h"

namespace schemamem {
namespace {

using test::call;
using test::Reply;
using testing::HasSubstr;
namespace fs = std::filesystem;

/// JSON of the right beginning whose nesting would break a reader that follows it.
std::string deep() {
  constexpr std::size_t kDeep = 100'000;
  return "{\"step\":1,\"x\":" + std::string(kDeep, '[') + std::string(kDeep, ']') + "}\n";
}

void put(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

class DeepFile : public testing::Test {
 protected:
  /// A run that was stopped, or one that has ended.
  fs::path run(std::int64_t step) {
    const fs::path folder = folder_ / "run";
    fs::remove_all(folder);
    test::train_tiny_run(folder, step);
    return folder;
  }
  fs::path stopped() { return run(27); }
  fs::path ended() { return run(INT64_MAX); }

  static void refused(const std::string& command, const fs::path& file) {
    const Reply reply = call(command);
    EXPECT_EQ(reply.code, 65) << command << "\n" << reply.err;
    EXPECT_THAT(reply.err, HasSubstr(file.string())) << command;
    EXPECT_THAT(reply.err, HasSubstr("nested deeper than 32")) << command;
  }

  std::string into() const { return " -o " + (folder_ / "out").string(); }

  TemporaryFolder folder_;
};

TEST_F(DeepFile, AManifest) {
  const fs::path file = stopped() / "run.json";
  std::string text = read_text_file(file, 1 << 20).value();
  put(file, text.insert(1, "\"x\":" + std::string(100'000, '[') + std::string(100'000, ']') + ","));
  const std::string run = file.parent_path().string();
  for (const std::string& command :
       {"watch --once " + run, "resume " + run, "paper diff " + run, "report " + run + into() + ".html"})
    refused(command, file);
}

TEST_F(DeepFile, AResult) {
  const fs::path file = ended() / "result.json";
  put(file, deep());
  const std::string run = file.parent_path().string();
  for (const std::string& command :
       {"watch --once " + run, "resume " + run, "paper diff " + run, "report " + run + into() + ".html"})
    refused(command, file);
}

TEST_F(DeepFile, ALineOfTheMetrics) {
  const fs::path file = stopped() / "metrics.jsonl";
  put(file, deep());
  refused("watch --once " + file.parent_path().string(), file);
  refused("resume " + file.parent_path().string(), file);
}

TEST_F(DeepFile, ALineOfTheEvents) {
  const fs::path file = stopped() / "events.jsonl";
  put(file, deep());
  refused("watch --once " + file.parent_path().string(), file);
}

TEST_F(DeepFile, TheMarkOfAFailure) {
  const fs::path file = stopped() / "failed.json";
  put(file, deep());
  refused("watch --once " + file.parent_path().string(), file);
}

TEST_F(DeepFile, TheStateOfACheckpoint) {
  const fs::path checkpoint = stopped() / "checkpoints" / "step-000000027";
  put(checkpoint / "state.json", deep());
  test::seal_checkpoint(checkpoint);
  refused("resume " + (folder_ / "run").string(), checkpoint / "state.json");
}

TEST_F(DeepFile, TheMarkersOfAllCheckpoints) {
  fs::path marker;
  for (const auto& entry : fs::directory_iterator(stopped() / "checkpoints"))
    put(marker = entry.path() / "complete.json", deep());
  refused("resume " + (folder_ / "run").string(), folder_ / "run" / "checkpoints" / "step-000000027" / "complete.json");
}

TEST_F(DeepFile, ARecordOfAnEvaluation) {
  const fs::path run = ended(), file = run / "evaluations" / "table-recurrent-20261001-512.json";
  put(file, deep());
  for (const std::string& command :
       {"paper diff " + run.string(), "report " + run.string() + into() + ".html", "eval " + run.string()})
    refused(command, file);
}

TEST_F(DeepFile, AnEarlierComparison) {
  const fs::path file = folder_ / "paper" / "diff.json";
  put(file, deep());
  refused("paper diff " + file.parent_path().string(), file);
}

/// A value of another type is told with its place, by whoever reads it.
TEST_F(DeepFile, OrAWrongTypeInIt) {
  const fs::path folder = ended();
  const std::string run = folder.string();
  const auto is_told = [](const std::string& command, const std::string& place) {
    const Reply reply = call(command);
    EXPECT_EQ(reply.code, 65) << command << "\n" << reply.err;
    EXPECT_THAT(reply.err, HasSubstr(place)) << command;
  };
  const std::string manifest = read_text_file(folder / "run.json", 1 << 20).value();
  const std::size_t hash = manifest.find("\"hash\": \"");
  put(folder / "run.json", std::string(manifest).replace(hash, 18, "\"hash\": 5"));
  is_told("paper diff " + run, "run.json: hash: expected a string, found the number 5");
  is_told("report " + run + into() + ".html", "run.json: hash: expected a string, found the number 5");
  put(folder / "run.json", manifest);
  fs::remove(folder / "result.json");
  const std::string metrics = read_text_file(folder / "metrics.jsonl", 1 << 20).value();
  put(folder / "metrics.jsonl", "{\"step\":\"many\",\"groups\":[4]}\n" + metrics);
  is_told("watch --once " + run, "step: expected a whole number");
  is_told("resume " + run, "metrics.jsonl: line 1: step: expected a whole number");
}

}  // namespace
}  // namespace schemamem
