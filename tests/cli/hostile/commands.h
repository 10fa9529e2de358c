#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands.h"

namespace schemamem::test {

/// An option as it is typed.
struct KnownOption {
  std::string name;  // "--json"
  bool takes_value = false;
};
inline std::vector<KnownOption> options_of(const CLI::App& app) {
  std::vector<KnownOption> all;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames())
      all.push_back({"--" + name, option->get_items_expected_max() > 0});
  return all;
}

/// A command of the program, as the program itself registers it.
struct KnownCommand {
  std::string name;                         // "paper all"
  bool takes_path = false;                  // it has a positional argument
  std::vector<std::string> outputs{};       // its options that name what is written
  std::vector<std::string> path_options{};  // other options that may be a path
  std::vector<KnownOption> options{};       // all of them

  friend bool operator<(const KnownCommand& a, const KnownCommand& b) { return a.name < b.name; }
};

inline void collect_commands(CLI::App& app, const std::string& name, std::vector<KnownCommand>& found) {
  const auto inner = app.get_subcommands([](const CLI::App*) { return true; });
  for (CLI::App* command : inner)
    collect_commands(*command, name.empty() ? command->get_name() : name + " " + command->get_name(), found);
  if (!inner.empty() || name.empty()) return;
  KnownCommand command{.name = name, .options = options_of(app)};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      command.takes_path = true;
    } else if (const auto& names = option->get_lnames(); !names.empty()) {
      const std::string type = option->get_type_name();
      if (names.front() == "out" || names.front() == "output") {
        command.outputs.push_back("--" + names.front());
      } else if (type == "DIR" || type == "FILE" || type == "PATH" || type == "NAME") {
        command.path_options.push_back("--" + names.front());
      }
    }
  }
  found.push_back(command);
}

/// Every command that does something; one that is added to the program is here too.
inline std::vector<KnownCommand> all_commands() {
  CLI::App app;
  Commands commands;
  register_commands(app, commands);
  std::vector<KnownCommand> found;
  collect_commands(app, "", found);
  return found;
}

/// The tiny run of tests/data/versions, as arguments.
inline const char* const kTinyRun =
    "--model schemamem:layers=1:width=8:slots=4:heads=2:head_dim=4:hidden=4:commit_every=48 --setting A2V2 --seed 7 "
    "--set batch.episodes=5 --set validation.every=6 --set validation.episodes=4 --set validation.passes=1 --set "
    "transactions.limit=12 --set maintenance.limit=12 --set levels.limit=12 --set "
    "transactions.history_thresholds=[0,0,0] --set transactions.thresholds=[0,0] --set maintenance.thresholds=[0,0]";

/// Arguments with which a command comes further than its first question; none is needed.
inline std::vector<std::string> more_arguments(const std::string& command) {
  static const std::map<std::string, std::string> kMore{
      {"train", std::string("--isa baseline --threads 1 --out {} ") + kTinyRun},
      {"resume", "--threads 1"},
      {"watch", "--once"},
      {"eval", "--delays 8 --episodes 2 --threads 1"},
      {"ablate", "--delays 8 --episodes 2 --threads 1"},
      {"calibrate", "--episodes 1"},
      {"sweep run", "--jobs 1 --threads 1"},
      {"sweep retry", "--jobs 1 --threads 1"},
      {"sweep plan", "--no-estimate --settings A2V2 --out {}"},
      {"plan",
       "--models schemamem:layers=1:width=8:slots=4:heads=2:head_dim=4:hidden=4 --settings A2V2 --set batch.episodes=8 "
       "--nodes 1 --threads 1"},
      {"bench step", "--model schemamem --repeats 1 --batch 2 --tokens 40 --threads 1"},
      {"bench stream", "--model schemamem --tokens 50"},
      {"bench train",
       "--model schemamem:layers=1:width=8:slots=4:heads=2:head_dim=4:hidden=4 --setting A2V2 --steps 1 --threads 1"},
      {"paper all", "--gnuplot {gnuplot}"},
      {"paper figures", "--gnuplot {gnuplot}"},
      {"paper headline", "--gnuplot {gnuplot}"},
  };
  std::vector<std::string> words;
  if (const auto more = kMore.find(command); more != kMore.end()) {
    std::istringstream stream(more->second);
    for (std::string word; stream >> word;) words.push_back(word);
  }
  return words;
}

/// Commands whose output is the folder they are given. Whatever is not listed here may write below its --out alone.
inline bool writes_where_it_is_told(const std::string& command) {
  static const std::vector<std::string> kWriters{"train",     "resume",      "eval",      "ablate",
                                                 "sweep run", "sweep retry", "sweep plan"};
  return std::find(kWriters.begin(), kWriters.end(), command) != kWriters.end();
}

}  // namespace schemamem::test
