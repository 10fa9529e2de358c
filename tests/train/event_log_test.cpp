#include "train/event_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support/temporary_folder.h"
#include "support/tiny_training.h"

namespace schemamem {
namespace {

using testing::Contains;
using testing::ElementsAre;

const std::vector<std::string> kStages{"history-full", "transactions-full"};
const std::vector<std::string> kLines{
    R"({"step":25,"stage":"transactions-full","loss":0.5,"gradient_norm":2.0,"rate":0.001,"stillness":0.25,"mode":"recurrent","tokens":640})",
    R"({"step":50,"stage":"transactions-full","loss":0.25,"gradient_norm":1.0,"rate":0.002,"stillness":0.0,"mode":"recurrent","tokens":600})",
    R"({"step":50,"check":"transactions-full","lowest":75.0,"threshold":95.0,"groups":[{"scenario":"retention","delay":96,"group":"retained","asked":8,"right":6}],"slots_used":[3.5,4.0]})"};

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void write_metrics(const TemporaryFolder& run, std::size_t lines) {
  std::ofstream file(run / "metrics.jsonl");
  for (std::size_t i = 0; i < lines; ++i) file << kLines[i] << "\n";
}

/// The records of a run's event file; nothing if a byte does not belong to one.
std::vector<std::string> records_of(const std::filesystem::path& run) {
  const std::string bytes = text_of(EventLog::path_in(run));
  std::vector<std::string> records;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t size = event_record_size(std::string_view(bytes).substr(at));
    if (size == 0) return {};
    records.push_back(bytes.substr(at, size));
    at += size;
  }
  return records;
}

bool same_but_for_times(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_but_for_time);
}

TEST(EventLog, ALineOfTheMetricsBecomesItsScalars) {
  EXPECT_THAT(event_of(kLines[0], kStages)->scalars,
              ElementsAre(ChartValue{"loss", 0.5F}, ChartValue{"gradient_norm", 2}, ChartValue{"rate", 0.001F},
                          ChartValue{"stillness", 0.25F}, ChartValue{"tokens", 640}, ChartValue{"stage", 2}));
  EXPECT_EQ(event_of(kLines[0], kStages)->step, 25);
  EXPECT_THAT(
      event_of(kLines[2], kStages)->scalars,
      ElementsAre(ChartValue{"lowest", 75}, ChartValue{"threshold", 95}, ChartValue{"accuracy/retention/retained", 75},
                  ChartValue{"slots_used/layer0", 3.5F}, ChartValue{"slots_used/layer1", 4}));
}

TEST(EventLog, HasOneRecordForEachLineOfTheMetrics) {
  const TemporaryFolder run;
  write_metrics(run, 0);
  auto log = EventLog::open(run.path(), kStages);
  ASSERT_TRUE(log) << log.error().message();
  for (const std::string& line : kLines) ASSERT_TRUE(log.value().write(line));
  ASSERT_EQ(records_of(run.path()).size(), 4U);
  EXPECT_TRUE(same_but_for_time(records_of(run.path())[0], encode_event_file_version(0)));
  EXPECT_TRUE(same_but_for_time(records_of(run.path())[3], encode_event(*event_of(kLines[2], kStages))));
}

TEST(EventLog, IsCutAndCompletedToWhatTheMetricsSay) {
  const TemporaryFolder whole;
  write_metrics(whole, 3);
  ASSERT_TRUE(EventLog::open(whole.path(), kStages));
  const std::vector<std::string> all = records_of(whole.path());
  ASSERT_EQ(all.size(), 4U);
  const std::string bytes = text_of(EventLog::path_in(whole.path()));

  // Cut with the metrics: the records before are kept to the byte, times included.
  write_metrics(whole, 1);
  ASSERT_TRUE(EventLog::open(whole.path(), kStages));
  EXPECT_THAT(records_of(whole.path()), ElementsAre(all[0], all[1]));

  // Killed anywhere in a write, or damaged: completed again.
  for (std::size_t length = 0; length <= bytes.size(); length += 7) {
    const TemporaryFolder run;
    write_metrics(run, 3);
    std::filesystem::create_directory(run / "tensorboard");
    std::ofstream(EventLog::path_in(run.path()), std::ios::binary) << bytes.substr(0, length) << "garbage";
    ASSERT_TRUE(EventLog::open(run.path(), kStages));
    EXPECT_TRUE(same_but_for_times(records_of(run.path()), all)) << length;
  }
}

TEST(EventLog, OfAStoppedAndResumedRunIsThatOfTheWholeRun) {
  const auto model = test::tiny_model();
  const RunRequest request = test::tiny_request({"transactions.limit=60"});
  const TemporaryFolder folder;
  RunObserver silent;
  ASSERT_TRUE(train_run(*model, request, {.folder = folder / "whole"}, StopFlag(false), silent));
  class StopOften final : public RunObserver {
   public:
    void stepped(const Trainer&, const StepReport& report) override {
      if (report.step % 17 == 0) stop = true;
    }
    StopFlag stop{false};
  } often;
  for (bool done = false; !done;) {
    often.stop = false;
    const auto result = train_run(*model, request, {.folder = folder / "parts"}, often.stop, often);
    done = static_cast<bool>(result);
    if (!done) {
      ASSERT_EQ(result.error().kind(), ErrorKind::kInterrupted) << result.error().message();
    }
  }
  EXPECT_GT(records_of(folder / "whole").size(), 5U);
  EXPECT_TRUE(same_but_for_times(records_of(folder / "parts"), records_of(folder / "whole")));
}

}  // namespace
}  // namespace schemamem
