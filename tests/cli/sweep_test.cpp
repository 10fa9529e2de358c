#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/rng.h"
#include "base/sha256.h"
#include "support/cli.h"
#include "support/program.h"
#include "support/temporary_folder.h"
#include "system/file_lock.h"
#include "system/files.h"

namespace schemamem {
namespace {

using nlohmann::json;
using test::call;
using test::children_of;
using test::Reply;
using test::start_program;
using test::text_of;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Runs that end after `limit` steps, at their step limit: a pool that trained them ends with code 2.
std::string plan_arguments(const std::filesystem::path& folder, int limit, const std::string& lists) {
  return "sweep plan " + lists +
         " --set batch.episodes=2 --set validation.every=4 --set validation.episodes=2 --set validation.passes=9 --set "
         "transactions.history_thresholds=[100,100,100] --set transactions.limit=" +
         std::to_string(limit) + " --out " + folder.string();
}
const std::string kFour = "--models schemamem,gdn --settings A2V2 --seeds 1-2";

struct Sweep {
  explicit Sweep(int limit, const std::string& lists = kFour) {
    const Reply planned = call(plan_arguments(folder / "s", limit, lists) + " --no-estimate");
    require(planned.code == 0, planned.err);
  }
  std::string path() const { return (folder / "s").string(); }
  Process start(const std::string& more = "") { return start_program("sweep run " + path() + more, folder / "log"); }
  int run(const std::string& more = "") { return start(more).wait().code; }
  json status() const { return json::parse(call("sweep status --json " + path()).out); }
  std::vector<std::filesystem::path> runs() const {
    const json now = status();
    std::vector<std::filesystem::path> runs;
    for (const json& cell : now["cells"]) runs.push_back(folder / "s" / cell["run"].get<std::string>());
    return runs;
  }
  int events(const std::filesystem::path& run, const std::string& event) const {
    int count = 0;
    std::istringstream lines(text_of(run / "events.jsonl"));
    for (std::string line; std::getline(lines, line);) count += json::parse(line)["event"] == event ? 1 : 0;
    return count;
  }

  TemporaryFolder folder;
};

/// What a run leaves behind, but for times.
std::string result_of(const std::filesystem::path& run) {
  const auto hash = [&](const char* file) {
    const auto bytes = read_file(run / file, 1 << 30);
    return bytes ? sha256_hex(bytes->span()) : std::string("absent");
  };
  return hash("model.safetensors") + hash("metrics.jsonl");
}

TEST(Sweep, APlanShowsItsRunsAndWhatTheyCostBeforeItIsWritten) {
  const TemporaryFolder folder;
  const std::string arguments = plan_arguments(folder / "s", 8, kFour);
  const Reply reply = call(arguments);
  ASSERT_EQ(reply.code, 0) << reply.err;
  EXPECT_THAT(reply.out,
              AllOf(HasSubstr("4 runs"), HasSubstr("schemamem-A2V2-fast-s1-"), HasSubstr("gdn-A2V2-fast-s2-"),
                    HasSubstr("Estimate for this machine"), HasSubstr("table"), HasSubstr("sweep run")));
  EXPECT_LT(reply.out.find("Estimate"), reply.out.find("The plan is"));
  EXPECT_TRUE(std::filesystem::exists(folder / "s" / "sweep.toml"));
  EXPECT_EQ(call(arguments + " --no-estimate").code, 0);
  EXPECT_EQ(call(plan_arguments(folder / "s", 12, kFour) + " --no-estimate").code, 73);

  const Reply status = call("sweep status " + (folder / "s").string());
  EXPECT_EQ(status.code, 0);
  EXPECT_THAT(status.out, AllOf(HasSubstr("schemamem A2V2"), HasSubstr("s1"), HasSubstr("0 of 4 ended: 4 waiting")));
}

TEST(Sweep, MistakesAreToldWithAWayOut) {
  const TemporaryFolder folder;
  EXPECT_EQ(call("sweep").code, 64);
  EXPECT_EQ(call("sweep plan --models gdn").code, 64);
  EXPECT_EQ(call("sweep run").code, 64);
  EXPECT_EQ(call("sweep run " + folder.path().string()).code, 66);
  EXPECT_EQ(call("sweep status /nowhere/at/all").code, 66);
  EXPECT_THAT(call("sweep plan --models gnd --out " + (folder / "s").string()).err, HasSubstr("Did you mean \"gdn\"?"));
  EXPECT_THAT(call("sweep rum x").err, HasSubstr("Did you mean \"run\"?"));
}

TEST(Sweep, EveryRunEndsOnceAndNothingIsRunAgain) {
  Sweep sweep(8);
  ASSERT_EQ(sweep.run(" --jobs 2 --threads 1"), 2) << text_of(sweep.folder / "log");
  EXPECT_THAT(text_of(sweep.folder / "log"), AllOf(HasSubstr("4 of 4 ended: 4 step-limit"), HasSubstr("train   ")));
  std::vector<std::string> before;
  for (const auto& run : sweep.runs()) {
    EXPECT_EQ(sweep.events(run, "started"), 1);
    EXPECT_EQ(sweep.events(run, "finished"), 1);
    before.push_back(text_of(run / "events.jsonl"));
  }
  ASSERT_EQ(sweep.run(), 2);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(text_of(sweep.runs()[i] / "events.jsonl"), before[i]);

  // The same run, by hand.
  const std::string cell = sweep.status()["cells"][0]["run"];
  const std::string by_hand = (sweep.folder / "hand").string();
  EXPECT_EQ(call("train --model schemamem --setting A2V2 --seed 1 --threads 1 --set batch.episodes=2 --set "
                 "validation.every=4 --set validation.episodes=2 --set validation.passes=9 --set "
                 "transactions.history_thresholds=[100,100,100] --set transactions.limit=8 --out " +
                 by_hand)
                .code,
            2);
  EXPECT_EQ(result_of(sweep.folder / "s" / cell), result_of(by_hand));

  // As results are committed: without checkpoints and locks.
  for (const auto& run : sweep.runs()) {
    for (const char* name : {"checkpoints", "lock", "train.log", "events.jsonl", "tensorboard"})
      std::filesystem::remove_all(run / name);
  }
  EXPECT_THAT(call("sweep status " + sweep.path()).out, HasSubstr("4 of 4 ended"));
}

TEST(Sweep, KilledAtRandomInstantsAndRestartedEveryRunEndsOnceWithTheSameResult) {
  Sweep whole(40), killed(40);
  ASSERT_EQ(whole.run(" --jobs 2 --threads 1"), 2) << text_of(whole.folder / "log");
  Rng rng = Rng::stream(3, Purpose::kTest, 0);
  for (int kills = 0; kills < 8; ++kills) {
    Process pool = killed.start(" --jobs 2 --threads 1");
    std::this_thread::sleep_for(std::chrono::milliseconds(10 + rng.below(400)));
    const std::vector<pid_t> children = children_of(pool.id());
    // The pool alone, everything at once, or its runs first.
    if (kills % 3 != 2) pool.signal(SIGKILL);
    if (kills % 3 != 0) {
      for (const pid_t child : children) ::kill(child, SIGKILL);
    }
    if (kills % 3 == 2) std::this_thread::sleep_for(std::chrono::milliseconds(rng.below(300)));
    pool.signal(SIGKILL);
    pool.wait();
  }
  ASSERT_EQ(killed.run(" --jobs 2 --threads 1"), 2) << text_of(killed.folder / "log");
  const auto expected = whole.runs(), runs = killed.runs();
  ASSERT_EQ(runs.size(), 4U);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    EXPECT_EQ(killed.events(runs[i], "finished"), 1) << runs[i];
    EXPECT_EQ(result_of(runs[i]), result_of(expected[i]));
  }
}

TEST(Sweep, ASecondPoolJoinsAndBothEndWhenEverythingHas) {
  Sweep sweep(24, "--models schemamem,gdn --settings A2V2 --seeds 1-3");
  Process first = sweep.start(" --jobs 1 --threads 1");
  Process second = start_program("sweep run " + sweep.path() + " --jobs 1 --threads 1", sweep.folder / "second");
  EXPECT_EQ(first.wait().code, 2) << text_of(sweep.folder / "log");
  EXPECT_EQ(second.wait().code, 2) << text_of(sweep.folder / "second");
  for (const auto& run : sweep.runs()) {
    EXPECT_EQ(sweep.events(run, "started"), 1) << run;
    EXPECT_EQ(sweep.events(run, "resumed"), 0) << run;
    EXPECT_EQ(sweep.events(run, "finished"), 1) << run;
  }
  EXPECT_THAT(text_of(sweep.folder / "log"), HasSubstr("6 of 6 ended"));
}

TEST(Sweep, ASignalStopsTheChildrenTooAndTheSweepGoesOnLater) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Sweep sweep(2000);
    Process pool = sweep.start(" --jobs 2 --threads 1");
    const auto is_training = [&] {
      int training = 0;
      for (const auto& run : sweep.runs()) training += sweep.events(run, "saved") > 0 ? 1 : 0;
      return training == 2;
    };
    while (!is_training()) {
      ASSERT_EQ(pool.end(), std::nullopt) << text_of(sweep.folder / "log");
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    const std::vector<pid_t> children = children_of(pool.id());
    pool.signal(signal);
    EXPECT_EQ(pool.wait(), (ProcessEnd{.code = 75})) << text_of(sweep.folder / "log");
    for (const pid_t child : children) EXPECT_EQ(::kill(child, 0), -1);
    EXPECT_EQ(sweep.status()["counts"]["stopped"], 2);
    EXPECT_EQ(sweep.status()["counts"]["running"], 0);
    EXPECT_THAT(text_of(sweep.folder / "log"), HasSubstr("goes on"));
  }
}

TEST(Sweep, AFailedRunIsMarkedAndLeftAloneUntilItIsRetried) {
  Sweep sweep(8);
  const auto broken = sweep.runs().front();
  std::filesystem::create_directories(broken);
  std::ofstream(broken / "run.json") << "this is no manifest";
  EXPECT_EQ(sweep.run(" --jobs 2"), 1);
  EXPECT_THAT(text_of(sweep.folder / "log"), AllOf(HasSubstr("3 of 4 ended"), HasSubstr("1 failed")));
  EXPECT_THAT(sweep.status()["cells"][0]["message"].get<std::string>(), HasSubstr("no valid JSON"));
  const std::string log = text_of(broken / "train.log");
  EXPECT_EQ(sweep.run(), 1);
  EXPECT_EQ(text_of(broken / "train.log"), log);

  std::filesystem::remove(broken / "run.json");
  const std::string retry = "sweep retry " + sweep.path();
  EXPECT_EQ(start_program(retry + " --only nothing-like-this", sweep.folder / "retry").wait().code, 66);
  EXPECT_EQ(start_program(retry + " --only schemamem", sweep.folder / "retry").wait().code, 2)
      << text_of(sweep.folder / "retry");
  EXPECT_EQ(sweep.status()["counts"]["step-limit"], 4);
  EXPECT_EQ(start_program(retry, sweep.folder / "retry").wait().code, 66);
}

TEST(Sweep, AFolderWithAnotherRunInItIsNotTouched) {
  Sweep sweep(8), other(12);
  ASSERT_EQ(other.run(), 2);
  std::filesystem::create_directories(sweep.folder / "s");
  std::filesystem::copy(other.runs().front(), sweep.runs().front(), std::filesystem::copy_options::recursive);
  EXPECT_EQ(sweep.run(), 1);
  EXPECT_THAT(text_of(sweep.folder / "log"), HasSubstr("holds another run"));
  EXPECT_EQ(result_of(sweep.runs().front()), result_of(other.runs().front()));
}

TEST(Watch, ShowsOneRunAsABlockAndManyAsLines) {
  Sweep sweep(8);
  ASSERT_EQ(sweep.run(" --jobs 2"), 2);
  const std::string one = sweep.runs().front().string();
  const Reply block = call("watch --once " + one);
  EXPECT_EQ(block.code, 0) << block.err;
  EXPECT_THAT(block.out, AllOf(HasSubstr("schemamem A2V2 fast seed 1"), HasSubstr("stage 1/10"), HasSubstr("█"),
                               HasSubstr("last checkpoint: step 8"), HasSubstr("step-limit"), HasSubstr("passes 0/9")));
  const Reply lines = call("watch " + sweep.path());  // all have ended
  EXPECT_EQ(lines.code, 0);
  EXPECT_THAT(lines.out, AllOf(HasSubstr("schemamem A2V2 fast seed 1"), HasSubstr("gdn A2V2 fast seed 2")));
  const json answer = json::parse(call("watch --json --once " + sweep.path()).out);
  EXPECT_EQ(answer["runs"].size(), 4U);
  EXPECT_EQ(answer["runs"][0]["state"], "step-limit");
  EXPECT_EQ(answer["counts"]["step-limit"], 4);
  EXPECT_EQ(call("watch /nowhere/at/all").code, 66);
  EXPECT_EQ(call("watch").code, 64);
  const Reply live = call("watch " + sweep.path(), {.terminal = true});
  EXPECT_THAT(live.err, AllOf(HasSubstr("\x1b[J"), HasSubstr("4 of 4 ended")));
}

TEST(Watch, FollowsASweepUntilItEnds) {
  Sweep sweep(24);
  Process pool = sweep.start(" --jobs 2 --threads 1");
  while (call("watch --once " + sweep.path()).code != 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  Process watch = start_program("watch " + sweep.path(), sweep.folder / "watch");
  EXPECT_EQ(pool.wait().code, 2) << text_of(sweep.folder / "log");
  EXPECT_EQ(watch.wait(), ProcessEnd{});
  EXPECT_THAT(text_of(sweep.folder / "watch"), HasSubstr("step-limit"));
}

}  // namespace
}  // namespace schemamem
