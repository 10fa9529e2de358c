#include <fmt/format.h>

#include <memory>

#include "cli/task_commands.h"
#include "cli/task_npz.h"
#include "cli/token_source.h"
#include "system/files.h"

namespace schemamem {
namespace {

struct DumpOptions {
  CaseOptions request;
  SourceOptions source;
  Text episodes, output, npz;
  bool about = false;
};

/// Hands every episode, as a line of JSON, to `write`.
Status dump_lines(TokenSource& source, std::int64_t episodes, const std::function<Status(std::string_view)>& write) {
  for (std::int64_t i = 0; i < episodes; ++i) {
    const auto tokens = source.next();
    if (const Status status = write(episode_json(source, static_cast<std::uint64_t>(i), tokens)); !status)
      return status.error();
  }
  return Done{};
}

/// Evaluation episodes for other programs, of many cases at once.
Status dump_for_others(const DumpOptions& options, Console& console) {
  if (options.source.seed || options.output || (options.npz && options.about)) {
    return Error(ErrorKind::kUsage,
                 "--npz and --about are of evaluation episodes, one at a time, without --seed and --output. In Python, "
                 "`schemamem.episodes(..., split=\"train\")` gives training episodes.");
  }
  const EpisodesOptions asked{options.request, options.episodes, options.source.eval_seed};
  return options.npz ? dump_npz(asked, *options.npz, console) : print_about(asked, console);
}

Status dump(const DumpOptions& options, Console& console) {
  if (options.npz || options.about) return dump_for_others(options, console);
  const auto request = options.request.read();
  if (!request) return request.error();
  const auto episodes = read_number(options.episodes, "--episodes", kPaperEvaluationEpisodes, 1, kMostEpisodes);
  if (!episodes) return episodes.error();
  auto source = TokenSource::open(*request, options.source, static_cast<std::size_t>(*episodes));
  if (!source) return source.error();

  if (!options.output)
    return dump_lines(source.value(), *episodes, [&](std::string_view line) { return console.print(line); });
  if (options.output->empty()) return Error(ErrorKind::kUsage, "--output needs the name of a file, found \"\".");
  auto file = AtomicFile::create(*options.output);
  if (!file) return file.error();
  const Status written =
      dump_lines(source.value(), *episodes, [&](std::string_view line) { return file.value().write(line); });
  if (!written) return written.error();
  if (const Status status = file.value().commit(); !status) return status.error();
  console.err << fmt::format("{} episodes of {} written to {}\n", *episodes, request->name(), *options.output);
  return Done{};
}

}  // namespace

void register_task_dump(CLI::App& task, Commands& commands) {
  const auto options = std::make_shared<DumpOptions>();
  CLI::App& command =
      commands.add(task, "dump",
                   "Episodes as JSON lines, with or without --json; tokens are [address, value (-1: query), label (-1: "
                   "none), group (-1 none, 0 retained, 1 updated, 2 default, 3 filler), final].",
                   "schemamem task dump --setting A3V3 --scenario immediate --episodes 2\n"
                   "schemamem task dump --setting A4V5 --scenario overwrite --delay 96 -o overwrite.jsonl\n"
                   "schemamem task dump --setting A3V3 --scenario transaction-half --seed 42 --episodes 10\n"
                   "schemamem task dump --setting A3V3 --npz episodes.npz\n"
                   "schemamem task dump --setting A3V3 --scenario retention,overwrite --delay 96,384 --about");
  options->request.add_to(command);
  options->source.add_to(command);
  command.add_option("--episodes", options->episodes, "How many (default 512)")->type_name("N");
  command.add_option("-o,--output", options->output, "Write to this file, complete or not at all")->type_name("FILE");
  command
      .add_option("--npz", options->npz,
                  "Instead: a NumPy archive of all cases that `eval` asks, or of comma-separated scenarios and delays")
      ->type_name("FILE");
  command.add_flag("--about", options->about, "Print the line that says which episodes those are, for `score`");
  commands.on(command, [options](Console& console) { return dump(*options, console); });
}

}  // namespace schemamem
