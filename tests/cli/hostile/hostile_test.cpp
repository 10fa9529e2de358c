#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "cli/hostile/child.h"
#include "cli/hostile/commands.h"
#include "cli/hostile/judge.h"
#include "cli/hostile/manners.h"
#include "support/cli.h"
#include "support/temporary_folder.h"

// Every command of the program on every hostile folder of a corpus (docs/trust.md). A command that is added is here
// without being asked: the program is asked for its commands.

namespace schemamem {
namespace {

namespace fs = std::filesystem;
using test::Ending;
using test::KnownCommand;
using test::LimitedChild;
using test::Manner;

/// The files of a run that somebody may have prepared, and the run they are in.
struct Target {
  const char* base;  // a run that has ended, one that has not, or a published one
  const char* file;
};
constexpr Target kTargets[] = {
    {"ended", "run.json"},
    {"begun", "run.json"},
    {"published", "run.json"},
    {"published", "result.json"},
    {"published", "evaluations/table-recurrent-20261001-512.json"},
    {"published", "evaluations"},
    {"ended", "result.json"},
    {"ended", "model.safetensors"},
    {"ended", "evaluations/lock"},
    {"begun", "lock"},
    {"begun", "metrics.jsonl"},
    {"begun", "events.jsonl"},
    {"begun", "failed.json"},
    {"begun", "train.log"},
    {"begun", "tensorboard"},
    {"begun", "tensorboard/events.out.tfevents.schemamem"},
    {"begun", "checkpoints"},
    {"begun", "checkpoints/step-000000042"},
    {"begun", "checkpoints/step-000000042/complete.json"},
    {"begun", "checkpoints/step-000000042/state.json"},
    {"begun", "checkpoints/step-000000042/optimizer.safetensors"},
    {"begun", "checkpoints/step-000000042/model.safetensors"},
    {"begun", "../sweep.toml"},
    {"begun", "../recipe.toml"},
};

/// Where one cell of the table takes place: case/runs/<run>, case/outside, case/out.
class Place {
 public:
  Place() : root_(folder_ / "case") {
    const fs::path data = fs::path(SCHEMAMEM_TEST_DATA) / "versions" / "0.1" / "schemamem";
    fs::create_directories(folder_ / "bases");
    fs::copy(data, folder_ / "bases" / "ended", fs::copy_options::recursive);
    fs::copy(data, folder_ / "bases" / "begun", fs::copy_options::recursive);
    for (const char* file : {"result.json", "model.safetensors"}) fs::remove(folder_ / "bases" / "begun" / file);
    fs::copy(fs::path(SCHEMAMEM_SOURCE_DIR) / "results" / "fast" / "schemamem-A3V3-fast-s42-c01908b5",
             folder_ / "bases" / "published", fs::copy_options::recursive);
    const fs::path sweep = folder_ / "sweep";
    const std::string tiny = test::kTinyRun;
    const std::string model = tiny.substr(8, tiny.find(' ', 8) - 8), sets = tiny.substr(tiny.find("--set "));
    const auto reply = test::call("sweep plan --no-estimate --models " + model + " --settings A2V2 --seeds 7 " +
                                  tiny.substr(tiny.find(" --set batch")) + " --out " + sweep.string());
    require(reply.code == 0, "the plan of a sweep can be written: " + reply.err);
    // The sweep's only run is the one that is tampered with.
    name_ = "schemamem-A2V2-fast-s7-" +
            test::text_of(data / "run.json").substr(test::text_of(data / "run.json").find("\"hash\": \"") + 9, 8);
  }

  void prepare(const Target& target, const Manner& manner) {
    fs::remove_all(root_);
    for (const char* inner : {"outside", "out", "runs"}) fs::create_directories(root_ / inner);
    test::put(root_ / "outside" / "victim", "untouched\n");
    test::put(root_ / "true.sh", "#!/bin/sh\nexit 0\n");
    fs::permissions(root_ / "true.sh", fs::perms::all);
    fs::copy(folder_ / "bases" / target.base, run(), fs::copy_options::recursive);
    fs::copy(folder_ / "sweep" / "sweep.toml", root_ / "runs" / "sweep.toml");
    test::put(root_ / "runs" / "recipe.toml", "extends = \"fast\"\n");
    if (manner.as_nobody) {
      for (const auto& entry : fs::recursive_directory_iterator(root_))
        ::chmod(entry.path().c_str(), entry.is_directory() || entry.path().filename() == "true.sh" ? 0777 : 0666);
      for (const fs::path& open : {folder_.path(), root_}) ::chmod(open.c_str(), 0777);
      ::chmod((root_ / "outside").c_str(), 0755);
    }
    tampered_ = (run() / target.file).lexically_normal();
    manner.apply(tampered_, root_ / "outside");
  }

  const fs::path& root() const { return root_; }
  fs::path run() const { return root_ / "runs" / name_; }
  const fs::path& tampered() const { return tampered_; }

 private:
  TemporaryFolder folder_{memory_folder()};
  fs::path root_, tampered_;
  std::string name_;
};

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

/// The command's words for one cell. `form` turns through what may be given to it: the run, the folder of runs, the
/// file.
std::vector<std::string> arguments(const KnownCommand& command, const Place& place, const Manner& manner,
                                   std::size_t form) {
  const fs::path given[] = {place.run(), place.run().parent_path(), place.tampered()};
  const bool wants_file = command.name == "verify" || !command.takes_path;
  const std::string path = given[command.name.starts_with("sweep ") ? 1 : wants_file ? 2 : form % 3].string();
  std::vector<std::string> words;
  std::istringstream name(command.name);
  for (std::string word; name >> word;) words.push_back(word);
  bool placed = false, has_output = false;
  for (std::string word : test::more_arguments(command.name)) {
    placed = placed || word == "{}";
    has_output = has_output || word == "--out";
    replace_all(word, "{}", command.name == "train" ? place.run().string() : path);
    // Drawing takes a while, and is of interest where texts could reach the script.
    replace_all(word, "{gnuplot}",
                std::string(manner.name) == "commands in texts" ? "gnuplot" : (place.root() / "true.sh").string());
    words.push_back(word);
  }
  if (command.takes_path) words.push_back(path);
  if (!command.takes_path && !placed && !command.path_options.empty()) {
    words.push_back(command.path_options[form % command.path_options.size()]);
    words.push_back(path);
  }
  for (const std::string& output : command.outputs) {
    if (has_output) continue;
    words.push_back(output);
    words.push_back((place.root() / "out" / "x").string());
  }
  if (form % 2 == 1) words.push_back("--json");
  return words;
}

class EveryCommand : public testing::TestWithParam<KnownCommand> {};

TEST_P(EveryCommand, OnAnyFolderEndsSoonWithADocumentedCodeAndTouchesNothingElse) {
  const KnownCommand& command = GetParam();
  Place place;
  std::size_t form = 0, cells = 0;
  for (const Manner& manner : test::manners()) {
    for (const Target& target : kTargets) {
      ++form;
      // Without a folder to read, a command sees files through its options alone.
      const bool is_recipe = std::string(target.file).ends_with(".toml");
      if (!command.takes_path && command.name != "train" && command.name != "sweep plan" && !is_recipe) continue;
      if (std::string(manner.name) == "a hard link" && std::string(target.file).find('.') == std::string::npos &&
          !std::string(target.file).ends_with("lock"))
        continue;
      place.prepare(target, manner);
      std::set<fs::path> writable{place.root() / "out"};
      if (test::writes_where_it_is_told(command.name))
        writable.insert(command.name.starts_with("sweep") ? place.run().parent_path() : place.run());
      const auto words = arguments(command, place, manner, form);
      const auto before = test::snapshot(place.root(), writable);
      LimitedChild child(words, place.root(), manner.as_nobody);
      const Ending end = child.wait();
      ++cells;
      std::string fault = test::fault_of(end);
      if (fault.empty()) fault = test::difference(before, test::snapshot(place.root(), writable));
      if (fault.empty()) continue;
      std::string line;
      for (const std::string& word : words) line += word + " ";
      ADD_FAILURE() << command.name << " | " << target.base << " " << target.file << " | " << manner.name << " | "
                    << fault << "\n    " << line;
    }
  }
  RecordProperty("cells", static_cast<int>(cells));
}

std::string test_name(const testing::TestParamInfo<KnownCommand>& info) {
  std::string name = info.param.name;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Hostile, EveryCommand, testing::ValuesIn(test::all_commands()), test_name);

TEST(Hostile, TheTableHasTheCommandsOfTheProgram) {
  const auto commands = test::all_commands();
  std::set<std::string> names;
  for (const KnownCommand& command : commands) names.insert(command.name);
  for (const char* name :
       {"train", "resume", "watch", "eval", "ablate", "paper all", "report", "check", "sweep run", "verify"})
    EXPECT_TRUE(names.contains(name)) << name;
}

}  // namespace
}  // namespace schemamem
