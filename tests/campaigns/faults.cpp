#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "campaigns/campaign.h"
#include "check/check.h"
#include "support/program.h"
#include "support/run_hashes.h"

namespace schemamem::campaign {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kLongest{20};  // of a loaded machine
constexpr const char* kRun = "runs/schemamem-A2V2-fast-s7-6ad7fe85";

/// A command on a folder, and what must be the same at its end whatever went wrong on the way.
struct Scene {
  std::string name, command;
  bool begun = false;                  // the run is there with its checkpoints, but has not ended
  bool ended = false;                  // the run is there, and has
  bool published = false;              // the same of a run of the paper\'s
  bool trains = false;                 // its result is the run's
  std::vector<std::string> outputs{};  // else: files and folders that it writes, each whole or absent
};

const char* const kTiny =
    "--set batch.episodes=5 --set validation.every=6 --set validation.episodes=4 --set validation.passes=1 --set "
    "transactions.limit=12 --set maintenance.limit=12 --set levels.limit=12 --set "
    "transactions.history_thresholds=[0,0,0] --set transactions.thresholds=[0,0] --set maintenance.thresholds=[0,0]";
const char* const kTinyModel = "schemamem:layers=1:width=8:slots=4:heads=2:head_dim=4:hidden=4:commit_every=48";

std::vector<Scene> scenes() {
  const std::string run = kRun;
  return {
      {.name = "train",
       .command = fmt::format("train --isa baseline --threads 2 --model {} --setting A2V2 --seed 7 {} --out {}",
                              kTinyModel, kTiny, run),
       .trains = true},
      {.name = "resume", .command = "resume --threads 2 " + run, .begun = true, .trains = true},
      {.name = "sweep", .command = "sweep run --jobs 1 --threads 2 runs", .begun = true, .trains = true},
      {.name = "eval",
       .command = "eval --isa baseline --force --delays 8,16 --episodes 4 --eval-seed 20261001 --threads 2 " + run,
       .ended = true,
       .outputs = {run + "/evaluations"}},
      {.name = "report", .command = "report runs -o page.html", .ended = true, .outputs = {"page.html"}},
      {.name = "paper", .command = "paper tables runs -o tables", .published = true, .outputs = {"tables"}},
      {.name = "check", .command = "check runs", .ended = true},
  };
}

struct End {
  int code = -1, signal = 0;
  bool late = false;
  std::string said;
};

/// Runs the program in a folder; `fault` is "write:17", or empty.
End run(const Options& options, const std::string& command, const fs::path& in, const std::string& fault,
        const fs::path& counts = {}) {
  std::vector<std::string> words{"schemamem"};
  std::istringstream stream(command);
  for (std::string word; stream >> word;) words.push_back(word);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::vector<std::string> settings{"PATH=/usr/bin:/bin", "LD_PRELOAD=" + options.shim.string()};
  if (!fault.empty()) settings.push_back("SCHEMAMEM_FAULT=" + fault);
  if (!counts.empty()) settings.push_back("SCHEMAMEM_FAULT_COUNTS=" + counts.string());
  std::vector<char*> environment;
  for (std::string& setting : settings) environment.push_back(setting.data());
  environment.push_back(nullptr);
  const fs::path log = in.string() + ".log";
  const pid_t child = ::fork();
  require(child >= 0, "no process can be started");
  if (child == 0) {
    const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    ::dup2(out, 1);
    ::dup2(out, 2);
    if (::chdir(in.c_str()) == 0) ::execve(options.program.c_str(), arguments.data(), environment.data());
    ::_exit(127);
  }
  End end;
  int status = 0;
  const auto deadline = std::chrono::steady_clock::now() + kLongest;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (std::chrono::steady_clock::now() < deadline) continue;
    end.late = true;
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
    break;
  }
  if (WIFEXITED(status)) end.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  end.said = test::text_of(log);
  return end;
}

/// The files of what a scene writes, by name. Locks and leftovers of failed writers are nobody's output.
std::map<std::string, std::string> outputs_of(const Scene& scene, const fs::path& in) {
  std::map<std::string, std::string> all;
  const auto add = [&](const fs::path& file) {
    const std::string name = file.filename().string();
    if (name != "lock" && !name.ends_with(".tmp")) all[fs::relative(file, in).string()] = test::file_hash(file);
  };
  for (const std::string& output : scene.outputs) {
    if (fs::is_regular_file(in / output)) add(in / output);
    if (!fs::is_directory(in / output)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(in / output))
      if (entry.is_regular_file()) add(entry.path());
  }
  return all;
}

/// One scene: its start, and what it comes to when nothing fails.
struct Stage {
  const Options& options;
  Scene scene;
  fs::path start;
  int code = 0;
  std::string hashes{};
  std::map<std::string, std::string> outputs{};
  std::map<std::string, long> counts{};
  std::int64_t newest = -1;  // checkpoint at the start

  std::string results(const fs::path& in) const {
    return scene.trains ? test::result_hashes(in / kRun) : std::string();
  }
};

std::int64_t newest_checkpoint(const fs::path& in) {
  const auto steps = Checkpoints(in / kRun).complete();
  return steps.empty() ? -1 : steps.front();
}

Stage prepare(const Options& options, const Scene& scene) {
  Stage stage{.options = options, .scene = scene, .start = options.folder / ("start-" + scene.name)};
  fs::create_directories(stage.start);
  if (scene.begun || scene.ended) {
    fs::create_directories((stage.start / kRun).parent_path());
    fs::copy(fs::path(SCHEMAMEM_TEST_DATA) / "versions" / "0.1" / "schemamem", stage.start / kRun,
             fs::copy_options::recursive);
  }
  if (scene.published) {
    const fs::path run = fs::path(SCHEMAMEM_SOURCE_DIR) / "results" / "fast" / "schemamem-A3V3-fast-s42-c01908b5";
    fs::create_directories(stage.start / "runs");
    fs::copy(run, stage.start / "runs" / run.filename(), fs::copy_options::recursive);
  }
  if (scene.begun) {
    for (const char* file : {"result.json", "model.safetensors", "checkpoints/step-000000042", "evaluations"})
      fs::remove_all(stage.start / kRun / file);
  }
  const std::string plan =
      fmt::format("sweep plan --no-estimate --models {} --settings A2V2 --seeds 7 {} --out runs", kTinyModel, kTiny);
  if (scene.name == "sweep") {
    const End end = run(options, plan, stage.start, "");
    require(end.code == 0, "the plan of the sweep: " + end.said);
  }
  stage.newest = newest_checkpoint(stage.start);
  const fs::path whole = options.folder / ("whole-" + scene.name), counts = options.folder / (scene.name + ".counts");
  fs::copy(stage.start, whole, fs::copy_options::recursive);
  const End end = run(options, scene.command, whole, "", counts);
  require(end.code == 0 || end.code == 2, scene.name + " without a fault: " + end.said);
  stage.code = end.code;
  stage.hashes = stage.results(whole);
  stage.outputs = outputs_of(scene, whole);
  std::ifstream lines(counts);
  std::string kind;
  for (long count = 0; lines >> kind >> count;) stage.counts[kind] = count;
  return stage;
}

/// What is wrong after one call has failed; empty if nothing.
std::string fault_of(const Stage& stage, const fs::path& in, const std::string& fault) {
  static const std::set<int> kDocumented{0, 1, 2, 64, 65, 66, 73, 74, 75, 76};
  const End end = run(stage.options, stage.scene.command, in, fault);
  if (end.late) return "still running after 20 s";
  if (end.signal != 0) return fmt::format("ended by signal {}: {}", end.signal, end.said);
  if (!kDocumented.contains(end.code)) return fmt::format("exit code {}", end.code);
  if (end.said.find("Internal error") != std::string::npos) return end.said;
  // The write that fails may be that of the message.
  // A step limit and a stop on request are no errors, and told all the same.
  const bool told = end.code == 2 || end.code == 75 ? !end.said.empty() : end.said.find("error: ") != std::string::npos;
  if (end.code != 0 && !fault.starts_with("write:") && !told)
    return fmt::format("exit code {} without a message", end.code);
  // Nothing that was there is lost, and what is there is whole.
  if (newest_checkpoint(in) < stage.newest) return fmt::format("a checkpoint is lost; {}", end.said);
  for (const auto& [name, hash] : outputs_of(stage.scene, in)) {
    const auto expected = stage.outputs.find(name);
    const auto before = stage.start / name;
    if (expected != stage.outputs.end() && expected->second == hash) continue;
    if (fs::exists(before) && test::file_hash(before) == hash) continue;
    if (stage.scene.name == "eval") continue;  // a record with some of its cells; the next run adds the others
    return name + " is neither whole nor absent";
  }
  if (fs::exists(in / kRun / "run.json")) {
    const RunCheck check = check_run(in / kRun);
    for (const Finding& finding : check.findings) return fmt::format("{}: {}", finding.file, finding.what);
  }
  const End again = run(stage.options, stage.scene.command, in, "");
  if (again.code != stage.code) return fmt::format("the next run ends with code {}: {}", again.code, again.said);
  if (stage.results(in) != stage.hashes) return "the next run ends differently";
  if (outputs_of(stage.scene, in) != stage.outputs) return "the next run writes something else";
  return {};
}

}  // namespace

bool fault_campaign(const Options& options, int every, int allocations) {
  Tally tally;
  std::string summary;
  for (const Scene& scene : scenes()) {
    const Stage stage = prepare(options, scene);
    std::vector<std::string> faults;
    for (const auto& [kind, count] : stage.counts) {
      const long step = kind == "allocation" ? allocations : every;
      for (long k = 0; step > 0 && k < count; k += step) faults.push_back(fmt::format("{}:{}", kind, k));
    }
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t i = next++; i < faults.size(); i = next++) {
        const fs::path in = options.folder / fmt::format("{}-{}", scene.name, i);
        fs::copy(stage.start, in, fs::copy_options::recursive);
        const std::string fault = fault_of(stage, in, faults[i]);
        if (!fault.empty()) {
          tally.add("failures");
          tally.say(fmt::format("FAILED: {}, {} of {}: {}; kept in {}", scene.name, faults[i],
                                stage.counts.at(faults[i].substr(0, faults[i].find(':'))), fault, in.string()));
          continue;
        }
        fs::remove_all(in);
        fs::remove(in.string() + ".log");
      }
    };
    std::vector<std::thread> workers;
    for (int i = 1; i < options.jobs; ++i) workers.emplace_back(work);
    work();
    for (std::thread& worker : workers) worker.join();
    summary += fmt::format("{}{} {}", summary.empty() ? "" : ", ", faults.size(), scene.name);
  }
  tally.say(fmt::format("faults: {}; {} failures", summary, tally.count("failures")));
  return tally.count("failures") == 0;
}

}  // namespace schemamem::campaign
