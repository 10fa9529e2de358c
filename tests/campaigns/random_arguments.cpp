#include <fmt/format.h>

#include <span>

#include "base/text.h"
#include "campaigns/world.h"
#include "cli/hostile/commands.h"

// Random lists of words as arguments of the real program (docs/trust.md).

namespace schemamem::campaign {
namespace {

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

std::string random_arguments(const World& world, Rng& rng, const std::filesystem::path& in, std::string& told) {
  const std::vector<std::string> words = random_words(rng);
  for (const std::string& word : words) told += (told.empty() ? "" : " ") + quote(word);
  return world.fault_of(in, words, true);
}

}  // namespace

bool random_arguments_campaign(const Options& options, int arguments) {
  const World world(options);
  const int wrong = play(options, world, "arguments", std::uint64_t{1} << 32, arguments, random_arguments);
  Tally().say(fmt::format("random arguments: {}, {} failures", arguments, wrong));
  return wrong == 0;
}

}  // namespace schemamem::campaign
