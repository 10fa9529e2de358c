#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <thread>

#include "base/sha256.h"
#include "base/text.h"
#include "campaigns/campaign.h"
#include "cli/hostile/commands.h"
#include "cli/hostile/judge.h"
#include "cli/hostile/manners.h"
#include "support/temporary_folder.h"

// Files with changed bytes, and random words, through the real program (docs/trust.md). A case is made from the seed
// and its number.

namespace schemamem::campaign {
namespace {

namespace fs = std::filesystem;
using test::Ending;

constexpr std::chrono::milliseconds kWork{300};  // what was asked for may go on so long

const std::string kTinyRun = "schemamem-A2V2-fast-s7-6ad7fe85", kPaperRun = "schemamem-A3V3-fast-s42-c01908b5";
const std::string kEnded = "runs/" + kTinyRun, kBegun = "begun/" + kTinyRun, kPublished = "published/" + kPaperRun;

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

template <class List>
const auto& one_of(Rng& rng, const List& list) {
  return list[rng.below(std::size(list))];
}
bool chance(Rng& rng, std::uint64_t percent) { return rng.below(100) < percent; }

/// A command that works for as long as it was asked to, and may be asked to stop.
bool works(const std::string& command) {
  const std::string first = command.substr(0, command.find(' '));
  return first == "train" || first == "resume" || first == "sweep" || first == "eval" || first == "ablate" ||
         first == "bench" || first == "watch" || first == "task";
}

/// A file of the world below, and commands that read it.
struct Readers {
  std::string file;
  std::vector<std::string> commands;
};

std::vector<Readers> readers() {
  const std::string few = " --delays 8 --episodes 2 --threads 1 ";
  const std::vector<std::string> ended{
      "watch --once " + kEnded,       "check " + kEnded,     "check --json --all runs", "report runs -o out/page.html",
      "resume --threads 1 " + kEnded, "eval" + few + kEnded, "ablate" + few + kEnded};
  const std::vector<std::string> begun{"resume --threads 1 " + kBegun, "watch --once " + kBegun, "check " + kBegun,
                                       "sweep run --jobs 1 --threads 1 begun", "sweep status begun"};
  const std::vector<std::string> published{"paper tables published -o out/paper", "paper diff published --json",
                                           "paper headline published -o out/paper --gnuplot ./true.sh",
                                           "report published -o out/page.html", "check " + kPublished};
  const std::vector<std::string> state{"state info my.state", "state info --json my.state",
                                       "state diff my.state other.state", "state zero my.state out/zero.state",
                                       "talk " + kEnded + " --state my.state"};
  const std::vector<std::string> recipe{
      "config explain --recipe recipe.toml",
      std::string("train --threads 1 --recipe recipe.toml --out out/run ") + test::kTinyRun,
      "sweep plan --no-estimate --settings A2V2 --recipes recipe.toml --out out/sweep"};
  std::vector<Readers> all{
      {"my.state", state},
      {"golden.safetensors", {"verify golden.safetensors", "verify --scalar float golden.safetensors"}},
      {"recipe.toml", recipe},
      {"begun/sweep.toml", {"sweep status begun", "sweep run --jobs 1 --threads 1 begun"}},
      {kEnded + "/model.safetensors", {"talk " + kEnded + "/model.safetensors", "eval" + few + kEnded}}};
  const std::string step = "/checkpoints/step-000000042/";
  for (const char* file :
       {"/run.json", "/result.json", "/metrics.jsonl", "/events.jsonl", "/evaluations/table-recurrent-20261001-4.json"})
    all.push_back({kEnded + file, ended});
  for (const std::string& file :
       {std::string("/run.json"), std::string("/metrics.jsonl"), std::string("/events.jsonl"),
        std::string("/failed.json"), std::string("/tensorboard/events.out.tfevents.schemamem"), step + "complete.json",
        step + "state.json", step + "optimizer.safetensors", step + "model.safetensors"})
    all.push_back({kBegun + file, begun});
  for (const char* file : {"/run.json", "/result.json", "/evaluations/table-recurrent-20261001-512.json"})
    all.push_back({kPublished + file, published});
  return all;
}

/// Files of every kind, as the program has written them. Each case has a copy.
class World {
 public:
  explicit World(const Options& options) : options_(options) {
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

  fs::path base() const { return folder_ / "base"; }
  /// A copy of the world for one worker.
  fs::path make_case(std::size_t worker) const {
    const fs::path in = folder_ / fmt::format("case-{}", worker);
    fs::remove_all(in);
    fs::copy(base(), in, fs::copy_options::recursive);
    return in;
  }
  /// As a user without rights, if that can be had: what is drawn may name any place.
  Ending run(const fs::path& in, const std::vector<std::string>& words) const {
    const bool as_nobody = ::geteuid() == 0 && in != base();
    if (as_nobody) ::chmod(in.c_str(), 0777);
    test::LimitedChild child(words, in, as_nobody, options_.program);
    return words.empty() || !works(words.front()) ? child.wait() : child.wait(kWork);
  }

 private:
  const Options& options_;
  TemporaryFolder folder_{memory_folder()};
};

/// What no command may touch. They write where they are told to, to the runs they go on with, and where `report` and
/// `paper` write if they are told nothing.
std::map<std::string, std::string> untouchable(const fs::path& in) {
  auto tree = test::snapshot(in, {in / "out", in / "runs", in / "begun", in / "paper"});
  for (const char* unasked : {"./paper", "./report.html"}) tree.erase(unasked);
  return tree;
}

/// What is wrong, or nothing.
std::string fault_of(Ending end, const std::string& command) {
  // The default of a signal that somebody has sent is no fault of who had no reason to wait for it.
  if (end.stopped && end.signal == SIGTERM && works(command)) return {};
  return test::fault_of(end);
}

// What is done to bytes.

void flip_bits(std::string& bytes, Rng& rng) {
  for (std::uint64_t i = 1 + rng.below(8); i > 0; --i)
    bytes[rng.below(bytes.size())] ^= static_cast<char>(1U << rng.below(8));
}
void cut(std::string& bytes, Rng& rng) { bytes.resize(rng.below(bytes.size())); }
void take_out(std::string& bytes, Rng& rng) { bytes.erase(rng.below(bytes.size()), 1 + rng.below(64)); }
void insert_noise(std::string& bytes, Rng& rng) {
  std::string noise(1 + rng.below(64), '\0');
  for (char& c : noise) c = static_cast<char>(rng.below(256));
  bytes.insert(rng.below(bytes.size() + 1), noise);
}
void splice(std::string& bytes, Rng& rng) {
  const std::string piece = bytes.substr(rng.below(bytes.size()), 1 + rng.below(256));
  bytes.insert(rng.below(bytes.size() + 1), piece);
}
void insert_sign(std::string& bytes, Rng& rng) {
  static const std::array<std::string, 14> kSigns{"{",    "}",     "[",  "]",  "\"",   ":",           ",",
                                                  "null", "\x1b[", "\n", "\\", "true", "\"\\u0000\"", "-"};
  bytes.insert(rng.below(bytes.size() + 1), one_of(rng, kSigns));
}
void change_number(std::string& bytes, Rng& rng) {
  static const std::array<std::string, 12> kNumbers{
      "0",     "-1",    "1",   "2", "255", "4294967296", "9007199254740993", "18446744073709551615",
      "1e308", "1e999", "0.5", "7"};
  const auto digit = [&](std::size_t at) { return std::isdigit(static_cast<unsigned char>(bytes[at])) != 0; };
  std::size_t begin = rng.below(bytes.size());
  while (begin < bytes.size() && !digit(begin)) ++begin;
  std::size_t end = begin;
  while (end < bytes.size() && digit(end)) ++end;
  bytes.replace(begin, end - begin, one_of(rng, kNumbers));
}

void mutate(std::string& bytes, Rng& rng) {
  static constexpr std::array kWays{flip_bits, cut,         take_out,      insert_noise,
                                    splice,    insert_sign, change_number, change_number};
  for (std::uint64_t i = 1 + rng.below(3); i > 0 && !bytes.empty(); --i) one_of(rng, kWays)(bytes, rng);
}

/// Lets the marker of a checkpoint agree with a changed part, so that more than the hash is looked at.
void sign_again(const fs::path& part, const std::string& before, const std::string& after) {
  const fs::path marker = part.parent_path() / "complete.json";
  if (!fs::exists(marker)) return;
  const auto sha256 = [](const std::string& text) { return sha256_hex(std::as_bytes(std::span(text))); };
  std::string text = test::text_of(marker);
  const std::size_t at = text.find(sha256(before));
  if (at != std::string::npos) test::put(marker, text.replace(at, sha256(before).size(), sha256(after)));
}

/// One changed file, and one command that reads it.
std::string mutated_file(const World& world, Rng& rng, const fs::path& in, std::string& told) {
  static const std::vector<Readers> kReaders = readers();
  const Readers& drawn = one_of(rng, kReaders);
  const std::string& command = one_of(rng, drawn.commands);
  const std::string before = test::text_of(in / drawn.file);
  std::string after = before;
  mutate(after, rng);
  test::put(in / drawn.file, after);
  ::chmod((in / drawn.file).c_str(), 0666);
  if (chance(rng, 70)) sign_again(in / drawn.file, before, after);
  told = fmt::format("{} changed, {}", drawn.file, command);
  const auto tree = untouchable(in);
  const std::string fault = fault_of(world.run(in, split(command)), command);
  return fault.empty() ? test::difference(tree, untouchable(in)) : fault;
}

/// The commands and options of the program in any order, with values that fit and others.
std::vector<std::string> random_words(Rng& rng) {
  static const std::vector<test::KnownCommand> kCommands = test::all_commands();
  static const std::vector<test::KnownOption> kEverywhere{
      {"--json", false}, {"--help", false}, {"--version", false}, {"--color", true}, {"--isa", true}};
  static const std::vector<std::string> kFitting{"schemamem",
                                                 "gdn",
                                                 "mamba3",
                                                 "A2V2",
                                                 "A3V3",
                                                 "fast",
                                                 "8",
                                                 "1",
                                                 "2",
                                                 "0.5",
                                                 "8,16",
                                                 "42-44",
                                                 "runs",
                                                 "out/x",
                                                 kEnded,
                                                 kBegun,
                                                 "baseline",
                                                 "retention",
                                                 "slots=4",
                                                 "my.state",
                                                 "batch.episodes=2",
                                                 "never",
                                                 "auto",
                                                 "published",
                                                 "address-value",
                                                 "mqar",
                                                 "V16L16P2",
                                                 "transactions.limit=2",
                                                 "recipe.toml",
                                                 "float",
                                                 "golden.safetensors",
                                                 "schemamem:slots=8",
                                                 "overwrite",
                                                 "recurrent",
                                                 "all"};
  static const std::vector<std::string> kOdd{"",
                                             " ",
                                             "-",
                                             "--",
                                             "-1",
                                             "0",
                                             "-0",
                                             "nan",
                                             "inf",
                                             "1e309",
                                             "0x10",
                                             "1,,2",
                                             ",",
                                             "=",
                                             "a=",
                                             "=a",
                                             "%s%n%p",
                                             "$(id)",
                                             "`id`",
                                             "\xff\xfe",
                                             "\x1b]0;x\x07",
                                             "A2V2\n",
                                             "[1,2",
                                             "1-99999999",
                                             "/dev/zero",
                                             "/dev/stdin",
                                             "/proc/self/mem",
                                             "/dev/null",
                                             "no/such",
                                             "outside/victim",
                                             "A999V999",
                                             "4294967296",
                                             "9223372036854775807",
                                             "18446744073709551616",
                                             "schemamem:layers=0",
                                             "schemamem:slots=99999999999",
                                             "schemamem:width=4096:heads=2048:head_dim=2",
                                             "transactions.limit=-1",
                                             std::string(5000, 'x'),
                                             std::string(300, '[')};
  const test::KnownCommand& command = one_of(rng, kCommands);
  std::vector<std::string> words = split(command.name);
  if (chance(rng, 50)) {
    for (std::string word : test::more_arguments(command.name)) {
      if (word == "{}") word = "out/x";
      if (word == "{gnuplot}") word = "./true.sh";
      words.push_back(word);
    }
  }
  const auto value = [&] { return chance(rng, 60) ? one_of(rng, kFitting) : one_of(rng, kOdd); };
  for (std::uint64_t i = rng.below(6); i > 0; --i) {
    const test::KnownOption& option =
        one_of(rng, command.options.empty() || chance(rng, 15) ? kEverywhere : command.options);
    if (option.name == "--gnuplot") continue;  // a program of the user's own
    const bool with_value = option.takes_value != chance(rng, 5);
    if (with_value && chance(rng, 20)) {
      words.push_back(option.name + "=" + value());
      continue;
    }
    words.push_back(option.name);
    if (with_value) words.push_back(value());
  }
  if (chance(rng, command.takes_path ? 85 : 5)) words.push_back(value());
  if (chance(rng, 10)) words.push_back(value());
  if (chance(rng, 5)) {
    std::string& word = words[rng.below(words.size())];
    if (!word.empty()) mutate(word, rng);
    std::erase(word, '\0');  // no argument has one
  }
  if (chance(rng, 3)) rng.shuffle(std::span(words));
  return words;
}

std::string random_arguments(const World& world, Rng& rng, const fs::path& in, std::string& told) {
  const std::vector<std::string> words = random_words(rng);
  for (const std::string& word : words) told += (told.empty() ? "" : " ") + quote(word);
  const auto tree = untouchable(in);
  Ending end = world.run(in, words);
  // Who asks for more than there is, is told so.
  if (const std::size_t at = end.err.find("Out of memory"); at != std::string::npos)
    end.err.replace(at, 13, "Too large");
  const std::string fault = fault_of(std::move(end), words.front());
  return fault.empty() ? test::difference(tree, untouchable(in)) : fault;
}

using Trial = std::string (*)(const World&, Rng&, const fs::path&, std::string&);

/// Plays `count` cases; returns how many went wrong.
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

/// The commands are right: on files that nobody changed, each does what it is for.
void require_that_readers_read(const World& world) {
  for (const Readers& one : readers()) {
    for (const std::string& command : one.commands) {
      const Ending end = world.run(world.make_case(0), split(command));
      // A sweep has a run that is marked as failed; true.sh draws nothing.
      const bool half = command.starts_with("sweep") || command.find("true.sh") != std::string::npos;
      const bool good = end.code == 0 || end.code == 2 || (end.code == 1 && half);
      require(good || end.stopped, fmt::format("{} on whole files: code {}, {}", command, end.code, end.err));
    }
  }
}

}  // namespace

bool mutation_campaign(const Options& options, int files, int arguments) {
  const World world(options);
  require_that_readers_read(world);
  const int wrong_files = play(options, world, "file", 0, files, mutated_file);
  const int wrong_arguments = play(options, world, "arguments", std::uint64_t{1} << 32, arguments, random_arguments);
  Tally().say(fmt::format("mutations: {} files, {} failures; {} argument vectors, {} failures", files, wrong_files,
                          arguments, wrong_arguments));
  return wrong_files + wrong_arguments == 0;
}

}  // namespace schemamem::campaign
