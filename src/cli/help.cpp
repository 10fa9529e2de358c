#include "cli/help.h"

#include <fmt/format.h>

#include <sstream>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace schemamem {

namespace {

constexpr std::size_t kLeft = 26;

/// A name on the left, what it means on the right.
std::string entry(const std::string& name, const std::string& meaning) {
  std::string line = "  " + name;
  if (columns(line) + 2 > kLeft) {
    line += "\n" + std::string(kLeft, ' ');
  } else {
    line.append(kLeft - columns(line), ' ');
  }
  return line + wrapped(meaning, {.at = kLeft, .indent = kLeft});
}

std::vector<const CLI::Option*> positionals(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

}  // namespace

HelpPage::HelpPage() {
  column_width(kLeft);
  label("Positionals", "Arguments");
}

std::string HelpPage::make_option(const CLI::Option* option, bool is_positional) const {
  const std::string name =
      is_positional ? option->get_name(true) : option->get_name(false, true) + make_option_opts(option);
  return entry(name, option->get_description());
}

std::string HelpPage::make_subcommand(const CLI::App* sub) const {
  return entry(sub->get_name(), sub->get_description());
}

std::string full_name(const CLI::App& command) {
  return command.get_parent() == nullptr ? command.get_name()
                                         : full_name(*command.get_parent()) + " " + command.get_name();
}

std::string HelpPage::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  if (mode == CLI::AppFormatMode::Sub) return make_expanded(app);
  std::string page = wrapped(app->get_description()) + "\nExamples:\n";
  std::istringstream examples(app->get_footer());
  for (std::string line; std::getline(examples, line) && !line.empty();)
    page += "  " + wrapped(line, {.at = 2, .indent = 6, .broken = " \\"});
  page += make_usage(app, std::move(name));
  page += make_positionals(app);
  page += make_subcommands(app, mode);
  page += make_groups(app, mode);
  std::string terms;  // behind the examples, if any
  for (std::string line; std::getline(examples, line);)
    terms += entry(line.substr(0, line.find('\t')), line.substr(line.find('\t') + 1));
  if (!terms.empty()) page += "\nWhat is shown:\n" + terms;
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
  std::string usage = "Usage: " + full_name(*app) + (holds_commands ? " <command>" : "");
  for (const CLI::Option* option : positionals(*app)) {
    usage += " " + option->get_name(true) + (option->get_expected_max() > 1 ? "..." : "");
  }
  return "\n" + wrapped(usage + " [options]", {.indent = 7});
}

std::string HelpPage::make_option_opts(const CLI::Option* option) const {
  return option->get_type_size() == 0 ? std::string() : " " + option->get_type_name();
}

}  // namespace schemamem
