#include "campaigns/world.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <sstream>
#include <thread>

#include "cli/hostile/commands.h"
#include "cli/hostile/manners.h"

namespace schemamem::campaign {
namespace {

namespace fs = std::filesystem;
using test::Ending;

constexpr std::chrono::milliseconds kWork{300};  // what was asked for may go on so long

/// A command that works for as long as it was asked to, and may be asked to stop.
bool works(const std::string& command) {
  const std::string first = command.substr(0, command.find(' '));
  return first == "train" || first == "resume" || first == "sweep" || first == "eval" || first == "ablate" ||
         first == "bench" || first == "watch" || first == "task";
}

/// What no command may touch. They write where they are told to, to the runs they go on with, and where `report` and
/// `paper` write if they are told nothing.
std::map<std::string, std::string> untouchable(const fs::path& in) {
  auto tree = test::snapshot(in, {in / "out", in / "runs", in / "begun", in / "paper"});
  for (const char* unasked : {"./paper", "./report.html"}) tree.erase(unasked);
  return tree;
}

}  // namespace

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

World::World(const Options& options) : options_(options) {
  const fs::path versions = fs::path(SCHEMAMEM_TEST_DATA) / "versions" / "0.1";
  for (const char* folder : {"runs", "begun", "published", "out", "outside"}) fs::create_directories(base() / folder);
  fs::copy(versions / "schemamem", base() / kEnded, fs::copy_options::recursive);
  fs::copy(versions / "schemamem", base() / kBegun, fs::copy_options::recursive);
  for (const char* file : {"result.json", "model.safetensors", "evaluations"}) fs::remove_all(base() / kBegun / file);
  fs::copy(fs::path(SCHEMAMEM_SOURCE_DIR) / "results" / "fast" / kPaperRun, base() / kPublished,
           fs::copy_options::recursive);
  for (const char* name : {"my.state", "other.state"}) fs::copy(versions / "schemamem.state", base() / name);
  fs::copy(fs::path(SCHEMAMEM_TEST_DATA) / "golden" / "gdn" / "t24_tiny.safetensors", base() / "golden.safetensors");
  test::put(base() / "outside" / "victim", "untouched\n");
  test::put(base() / "true.sh", "#!/bin/sh\nexit 0\n");
  test::put(base() / "recipe.toml", "extends = \"fast\"\n\n[optimizer]\nclip = 0.5\n\n[batch]\nepisodes = 5\n");
  test::put(base() / kBegun / "failed.json", "{\"format\": 1, \"exit\": 74, \"message\": \"the disk is full\"}\n");
  const std::string tiny = test::kTinyRun;
  const Ending planned = run(base(), split("sweep plan --no-estimate --settings A2V2 --seeds 7 --models " +
                                           split(tiny)[1] + tiny.substr(tiny.find(" --set batch")) + " --out begun"));
  require(planned.code == 0, "the plan of a sweep: " + planned.err);
  ::umask(0);  // copies are as open as what is copied
  for (const auto& entry : fs::recursive_directory_iterator(base()))
    ::chmod(entry.path().c_str(), entry.is_directory() || entry.path().extension() == ".sh" ? 0777 : 0666);
  for (const fs::path& open : {folder_.path(), base()}) ::chmod(open.c_str(), 0777);
}

fs::path World::make_case(std::size_t worker) const {
  const fs::path in = folder_ / fmt::format("case-{}", worker);
  fs::remove_all(in);
  fs::copy(base(), in, fs::copy_options::recursive);
  return in;
}

Ending World::run(const fs::path& in, const std::vector<std::string>& words) const {
  const bool as_nobody = ::geteuid() == 0 && in != base();
  if (as_nobody) ::chmod(in.c_str(), 0777);
  test::LimitedChild child(words, in, as_nobody, options_.program);
  return words.empty() || !works(words.front()) ? child.wait() : child.wait(kWork);
}

std::string World::fault_of(const fs::path& in, const std::vector<std::string>& words, bool greedy) const {
  const auto tree = untouchable(in);
  Ending end = run(in, words);
  if (const std::size_t at = end.err.find("Out of memory"); greedy && at != std::string::npos)
    end.err.replace(at, 13, "Too large");
  // The default of a signal that somebody has sent is no fault of who had no reason to wait for it.
  const bool asked = end.stopped && end.signal == SIGTERM && works(words.front());
  const std::string fault = asked ? std::string() : test::fault_of(end);
  return fault.empty() ? test::difference(tree, untouchable(in)) : fault;
}

int play(const Options& options, const World& world, const char* name, std::uint64_t first, int count, Trial trial) {
  Tally tally;
  std::atomic<int> next{0};
  const auto work = [&](std::size_t worker) {
    for (int number = next++; number < count; number = next++) {
      Rng rng = Rng::stream(options.seed, Purpose::kTest, first + static_cast<std::uint64_t>(number));
      const fs::path in = world.make_case(worker);
      std::string told;
      const std::string fault = trial(world, rng, in, told);
      if (fault.empty()) continue;
      tally.add("failures");
      const fs::path kept = options.folder / fmt::format("{}-{}", name, number);
      fs::copy(in, kept, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
      tally.say(fmt::format("FAILED: {} {}: {}: {}; kept in {}", name, number, told, fault, kept.string()));
    }
  };
  std::vector<std::thread> workers;
  for (std::size_t i = 1; std::cmp_less(i, options.jobs); ++i) workers.emplace_back(work, i);
  work(0);
  for (std::thread& worker : workers) worker.join();
  return tally.count("failures");
}

}  // namespace schemamem::campaign
