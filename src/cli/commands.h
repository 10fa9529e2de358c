#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "base/result.h"
#include "cli/console.h"

namespace schemamem {

using Action = std::function<Status(Console&)>;

/// The program's commands and what each of them does. A command is one file with one function
///   void register_x(CLI::App& parent, Commands& commands);
/// that is listed in the table of commands.cpp. CLI11 splits the arguments; what they mean, which are needed and every
/// message about them is said by the action, so that all messages name the mistake and the way out.
class Commands {
 public:
  /// Adds a sub-command. `examples`, one a line, open its help page.
  CLI::App& add(CLI::App& parent, const std::string& name, const std::string& description, const std::string& examples);
  /// Adds a line to the help of a command about something that it shows.
  static void explain(CLI::App& command, const std::string& term, const std::string& meaning);
  /// What happens when the command is called.
  void on(const CLI::App& command, Action action) { actions_[&command] = std::move(action); }
  /// The same for a command that saves its work and ends when it is asked to stop (StopOnSignal): signals that come
  /// before it is ready for them wait.
  void on_until_stopped(const CLI::App& command, Action action) {
    on(command, std::move(action));
    heeding_.insert(&command);
  }
  /// Of several ranks every one calls the command, not the first alone.
  void share(const CLI::App& command) { shared_.insert(&command); }
  bool is_shared(const CLI::App& command) const { return shared_.contains(&command); }
  bool heeds_signals(const CLI::App& command) const { return heeding_.contains(&command); }
  /// Nothing for a command that only holds others.
  const Action* action(const CLI::App& command) const {
    const auto found = actions_.find(&command);
    return found == actions_.end() ? nullptr : &found->second;
  }

 private:
  std::map<const CLI::App*, Action> actions_;
  std::set<const CLI::App*> heeding_, shared_;
};

/// Registers every command of the table.
void register_commands(CLI::App& program, Commands& commands);

}  // namespace schemamem
