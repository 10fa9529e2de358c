#include "cli/run_cli.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <memory>
#include <optional>

#include "base/suggest.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/signals.h"
#include "cli/version.h"
#include "system/exit_codes.h"

namespace schemamem {
namespace {

constexpr const char* kDescription =
    "SchemaMem: schema-indexed recurrent memory, its baselines and the task that measures them, on the CPU.";
constexpr const char* kExamples =
    "schemamem talk a5v5-schemamem-steady-s42\n"
    "schemamem task sample --setting A3V3 --scenario overwrite --delay 8\n"
    "schemamem inspect --model schemamem --setting A3V3\n"
    "schemamem bench step --model schemamem\n"
    "schemamem task --help";

constexpr const char* kOutOfMemory =
    "Out of memory. Ask for less at once: fewer bits, episodes or threads, or a shorter delay.";

Error usage(std::string message) { return {ErrorKind::kUsage, std::move(message)}; }

std::vector<CLI::App*> subcommands(CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) { return true; });
}

/// The command that was called: the last of the chain of names.
CLI::App& called(CLI::App& program) {
  CLI::App* command = &program;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

std::vector<std::string> known_flags(const CLI::App* command) {
  std::vector<std::string> flags;
  for (; command != nullptr; command = command->get_parent()) {
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
    }
  }
  return flags;
}

/// The instruction sets that this machine can run.
std::vector<std::string> isa_names() {
  std::vector<std::string> result;
  for (const Isa isa : available_isas()) result.emplace_back(isa_name(isa));
  return result;
}

std::vector<std::string> names(const std::vector<CLI::App*>& commands) {
  std::vector<std::string> result;
  for (const CLI::App* command : commands) result.push_back(command->get_name());
  return result;
}

/// What CLI11 could not place.
Error unknown(CLI::App& command, const std::string& word) {
  if (word.starts_with('-')) {
    const std::string flag = word.substr(0, word.find('='));
    return usage(fmt::format("Unknown option {} of `{}`.{}", quote(flag), full_name(command),
                             did_you_mean(flag, known_flags(&command))));
  }
  const auto known = names(subcommands(command));
  if (known.empty())
    return usage(fmt::format("Unexpected argument {}: `{}` takes options only.", quote(word), full_name(command)));
  return usage(fmt::format("Unknown command {} of `{}`: expected one of {}.{}", quote(word), full_name(command),
                           fmt::join(known, ", "), did_you_mean(word, known)));
}

/// A list, such as the files of `verify`.
bool takes_several(const CLI::Option& option) { return option.get_expected_max() > 1; }

/// An option, of the called command or of one above it, that was given more than once or took the next option for its
/// value.
std::optional<Error> misused(const CLI::App* command) {
  for (; command != nullptr; command = command->get_parent()) {
    for (const CLI::Option* option : command->get_options()) {
      if (takes_several(*option)) continue;
      if (option->count() > 1)
        return usage(fmt::format("Option {} was given {} times. Give it once.", option->get_name(), option->count()));
      if (option->count() == 1 && option->results().front().starts_with("--"))
        return usage(fmt::format("Option {} needs a value, but {} follows.", option->get_name(),
                                 quote(option->results().front())));
    }
  }
  return std::nullopt;
}

/// Repetition is noticed by `misused`, so CLI11 shall not stumble over it first.
void let_options_repeat(CLI::App& command) {
  for (CLI::Option* option : command.get_options()) {
    if (!takes_several(*option)) option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
  for (CLI::App* inner : subcommands(command)) let_options_repeat(*inner);
}

struct Program {
  explicit Program(const Surroundings& surroundings) : around(surroundings), app(kDescription, "schemamem") {
    app.formatter(std::make_shared<HelpPage>());
    app.set_help_flag("-h,--help", "Show this page and exit");
    app.footer(kExamples);
    app.allow_extras();
    app.add_flag("--version", version, "Show version, commit, instruction set and compiler, and exit");
    app.add_flag("--json", json, "Results as JSON");
    app.add_option("--color", color, "Colours: auto (on a terminal without NO_COLOR), always or never")
        ->type_name("WHEN");
    app.add_option("--isa", isa, fmt::format("Instruction set: {} (default: the last)", fmt::join(isa_names(), ", ")))
        ->type_name("NAME");
    register_commands(app, commands);
    let_options_repeat(app);
  }

  /// Reads the arguments; what is wrong with them, if anything.
  Status read(std::vector<std::string> args) {
    if (!args.empty() && args.front() == "version") args.front() = "--version";
    if (!args.empty() && args.front() == "help")
      std::rotate(args.begin(), args.begin() + 1, args.end()), args.back() = "--help";
    std::reverse(args.begin(), args.end());  // as CLI11 wants them
    try {
      app.parse(std::move(args));
    } catch (const CLI::CallForHelp&) {
      help = true;
      return Done{};
    } catch (const CLI::ArgumentMismatch& mismatch) {
      const std::string message = mismatch.what();
      return usage(fmt::format("Option {} needs a value.", message.substr(0, message.find(':'))));
    } catch (const CLI::ParseError& error) {
      return usage(printable(error.what()) + ".");
    }
    CLI::App& command = called(app);
    if (const auto extras = app.remaining(true); !extras.empty()) return unknown(command, extras.front());
    if (const auto misuse = misused(&command)) return *misuse;
    const std::vector<std::string> when{"auto", "always", "never"};
    if (std::find(when.begin(), when.end(), color) == when.end())
      return usage(
          fmt::format("--color must be auto, always or never, found {}.{}", quote(color), did_you_mean(color, when)));
    const std::vector<std::string> isas = isa_names();
    if (around.ranks.is_first() && std::find(isas.begin(), isas.end(), isa) == isas.end())
      return usage(fmt::format("--isa must be one of {} on this machine, found {}.{}", fmt::join(isas, ", "),
                               quote(isa), did_you_mean(isa, isas)));
    return Done{};
  }

  Status run(std::vector<std::string> args) {
    const Status read_well = read(std::move(args));
    if (!around.ranks.is_first() && (!read_well || help || version || !commands.is_shared(called(app)))) return Done{};
    if (!read_well) return read_well;
    Console speaker = console();
    if (help) return speaker.print(app.help());
    if (version) return print_version(speaker);
    CLI::App& command = called(app);
    if (!commands.heeds_signals(command)) release_stop_signals();
    if (const Action* action = commands.action(command)) return (*action)(speaker);
    return usage(fmt::format("`{}` needs a command: one of {}.", full_name(command),
                             fmt::join(names(subcommands(command)), ", ")));
  }

  bool paints(bool terminal) const { return color == "always" || (color == "auto" && terminal && !around.no_color); }

  Console console() const {
    return {.out = around.out,
            .err = around.err,
            .paint = Paint(paints(around.out_is_terminal)),
            .json = json,
            .isa = isa_from_name(isa).value_or(best_isa()),
            .live = around.err_is_terminal,
            .paint_err = paints(around.err_is_terminal),
            .in = around.in,
            .converses = around.in_is_terminal && around.out_is_terminal,
            .ranks = around.ranks};
  }

  Surroundings around;
  CLI::App app;
  Commands commands;
  bool faulted = false;  // by an exception, in the middle of anything
  bool help = false;
  bool version = false;
  bool json = false;
  std::string color = "auto";
  std::string isa{isa_name(best_isa())};
};

/// A fault of the program itself is told like any other failure.
Status guarded(Program& program, std::vector<std::string> args) {
  try {
    const Status status = program.run(std::move(args));
    if (!status) return status;
    program.around.out.flush();
    return program.console().print("");  // what flushing met
  } catch (const std::bad_alloc&) {
    program.faulted = true;
    return Error(ErrorKind::kFailed, kOutOfMemory);
  } catch (const std::exception& fault) {
    program.faulted = true;
    return Error(ErrorKind::kFailed, fmt::format("Internal error: {}. Please report it.", fault.what()));
  }
}

/// Line by line: a message may have several, and tell of files that hold anything.
std::string escaped_lines(std::string_view text) {
  std::string out;
  for (;;) {
    const std::size_t end = text.find('\n');
    out += escaped(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

int run_guarded(std::vector<std::string> args, const Surroundings& around) {
  Program program(around);
  const Status status = guarded(program, std::move(args));
  if (status) return kExitOk;
  const Error& error = status.error();
  if (error.kind() == ErrorKind::kInputOutput && around.reader_gone != nullptr && *around.reader_gone)
    return kExitOk;  // `schemamem ... | head`: who reads has seen enough
  const Paint paint(program.paints(around.err_is_terminal));
  if (!around.ranks.is_first()) around.err << fmt::format("rank {}: ", around.ranks.mine());
  if (error.kind() == ErrorKind::kInterrupted) {
    around.err << (around.err_is_terminal ? "\n" : "") << escaped_lines(error.message())
               << '\n';  // behind the terminal's ^C
  } else if (error.kind() == ErrorKind::kStepLimit) {
    around.err << escaped_lines(error.message()) << '\n';
  } else {
    around.err << paint.red("error:") << ' ' << escaped_lines(error.message()) << '\n';
  }
  if (error.kind() == ErrorKind::kUsage)
    around.err << fmt::format("See `{} --help`.\n", full_name(called(program.app)));
  around.err.flush();
  const int code = exit_code(error.kind());
  if (around.end_all && (program.faulted || !around.ranks.is_first())) around.end_all(code);
  return code;
}

}  // namespace

int run_cli(std::vector<std::string> args, const Surroundings& around) {
  try {
    return run_guarded(std::move(args), around);
  } catch (const std::bad_alloc&) {  // not even enough to begin, or to tell an error
    around.err << "error: " << kOutOfMemory << '\n' << std::flush;
    return exit_code(ErrorKind::kFailed);
  }
}

}  // namespace schemamem
