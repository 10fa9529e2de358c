#include "cli/commands.h"

#include <array>

#include "cli/eval_commands.h"
#include "cli/memory_commands.h"
#include "cli/model_commands.h"
#include "cli/report_commands.h"
#include "cli/task_commands.h"
#include "cli/train_commands.h"

namespace schemamem {
namespace {

using Register = void (*)(CLI::App& program, Commands& commands);

/// In the order of the help page.
constexpr std::array kCommands{
    &register_talk,      &register_explore, &register_models, &register_state,  &register_task,      &register_inspect,
    &register_verify,    &register_bench,   &register_train,  &register_resume, &register_watch,     &register_sweep,
    &register_node_plan, &register_config,  &register_eval,   &register_ablate, &register_calibrate, &register_score,
    &register_paper,     &register_report,  &register_check};

}  // namespace

CLI::App& Commands::add(CLI::App& parent, const std::string& name, const std::string& description,
                        const std::string& examples) {
  CLI::App& command = *parent.add_subcommand(name, description);
  command.group("Commands");
  command.footer(examples);
  command.allow_extras();  // collected, to be refused together with a suggestion
  command.fallthrough();   // options of the program may stand behind the command
  return command;
}

void Commands::explain(CLI::App& command, const std::string& term, const std::string& meaning) {
  const std::string before = command.get_footer();
  const bool first = before.find("\n\n") == std::string::npos;  // help.cpp: a blank line ends the examples
  command.footer(before + (first ? "\n\n" : "\n") + term + "\t" + meaning);
}

void register_commands(CLI::App& program, Commands& commands) {
  for (const Register add : kCommands) add(program, commands);
}

}  // namespace schemamem
