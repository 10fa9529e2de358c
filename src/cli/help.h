#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace schemamem {

/// Help pages with the examples first, and with the options of the whole program on every page.
class HelpPage : public CLI::Formatter {
 public:
  HelpPage();
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* sub) const override;
};

/// The words that call a command: "schemamem task hash".
std::string full_name(const CLI::App& command);

}  // namespace schemamem
