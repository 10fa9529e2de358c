#include "cli/help.h"

#include <fmt/format.h>

#include <sstream>

namespace schemamem {

HelpPage::HelpPage() { column_width(26); }

std::string full_name(const CLI::App& command) {
  return command.get_parent() == nullptr ? command.get_name()
                                         : full_name(*command.get_parent()) + " " + command.get_name();
}

std::string HelpPage::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  if (mode == CLI::AppFormatMode::Sub) return make_expanded(app);
  std::string page = app->get_description() + "\n\nExamples:\n";
  std::istringstream examples(app->get_footer());
  for (std::string line; std::getline(examples, line);) page += fmt::format("  {}\n", line);
  page += make_usage(app, std::move(name));
  page += make_subcommands(app, mode);
  page += make_groups(app, mode);
  if (app->get_parent() != nullptr) {
    const CLI::App* program = app;
    while (program->get_parent() != nullptr) program = program->get_parent();
    const auto shared = program->get_options(
        [](const CLI::Option* option) { return option->get_name() != "--help" && option->get_name() != "--version"; });
    page += make_group("Options of every command", false, {shared.begin(), shared.end()});
  }
  return page;
}

std::string HelpPage::make_usage(const CLI::App* app, std::string /*name*/) const {
  const bool holds_commands = !app->get_subcommands([](const CLI::App*) { return true; }).empty();
  return fmt::format("\nUsage: {}{} [options]\n", full_name(*app), holds_commands ? " <command>" : "");
}

std::string HelpPage::make_option_opts(const CLI::Option* option) const {
  return option->get_type_size() == 0 ? std::string() : " " + option->get_type_name();
}

}  // namespace schemamem
