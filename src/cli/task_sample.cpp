#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/row_sample.h"
#include "cli/task_commands.h"
#include "cli/token_source.h"
#include "task/address_value.h"

namespace schemamem {
namespace {

struct SampleOptions {
  CaseOptions request;
  SourceOptions source;
  Text task, episode;
};

std::string painted_group(const Paint& paint, Group group) {
  const std::string_view name = group_name(group);
  switch (group) {
    case Group::kRetained:
      return paint.green(name);
    case Group::kUpdated:
      return paint.yellow(name);
    case Group::kDefault:
      return paint.cyan(name);
    default:
      return paint.dim(name);
  }
}

enum class Part { kWrite, kDelay, kQuery, kFinalQuery };

Part part_of(const Token& token) {
  if (token.is_write()) return Part::kWrite;
  if (token.group == Group::kFiller) return Part::kDelay;
  return token.final ? Part::kFinalQuery : Part::kQuery;
}

/// One part of the episode: a heading and its tokens; a delay is folded into one line.
std::string describe_part(const Paint& paint, std::span<const Token> tokens, std::size_t first) {
  const auto heading = [&](std::string_view text) { return "\n" + paint.bold(text) + "\n"; };
  const auto row = [](std::size_t number, std::string_view what) { return fmt::format("{:>7}   {}", number, what); };
  std::string text;
  switch (part_of(tokens.front())) {
    case Part::kWrite:
      text = heading("write");
      break;
    case Part::kQuery:
      text = heading("ask (scored in training only)");
      break;
    case Part::kFinalQuery:
      text = heading("ask (scored)");
      break;
    case Part::kDelay:
      text = heading("wait");
      return text +
             paint.dim(fmt::format("{:>7}   … {} read{} of never-written addresses", first, tokens.size(),
                                   tokens.size() == 1 ? "" : "s")) +
             "\n";
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.is_write()) {
      text += row(first + i, fmt::format("[{}] := {}\n", token.address, token.value));
    } else {
      text += row(first + i, fmt::format("{:<10} {:>8}   ", fmt::format("[{}] ?", token.address), token.label));
      text += painted_group(paint, token.group) + "\n";
    }
  }
  return text;
}

std::string table(const Paint& paint, const TokenSource& source, std::int64_t index, std::span<const Token> tokens) {
  const TaskCase& request = source.request();
  std::string text = paint.bold(fmt::format("{} {}", request.setting.name(), info(request.scenario).name));
  if (info(request.scenario).takes_delay()) text += fmt::format(", delay {}", request.delay);
  text += fmt::format(": {} episode {} of seed {}, {} tokens\n", source.kind(), index, source.seed(), tokens.size());
  text += paint.dim(fmt::format("{}\n\n", info(request.scenario).summary));
  text += paint.dim(fmt::format("{:>7}   {:<10} {:>8}   {}\n", "token", "input", "expected", "group"));
  for (std::size_t first = 0; first < tokens.size();) {
    const Part part = part_of(tokens[first]);
    std::size_t last = first;
    while (last < tokens.size() && part_of(tokens[last]) == part) ++last;
    text += describe_part(paint, tokens.subspan(first, last - first), first);
    first = last;
  }
  return text;
}

/// An episode of a task other than the paper's.
Status sample_rows(const SampleOptions& options, std::int64_t index, Console& console) {
  if (options.source.seed)
    return Error(ErrorKind::kUsage, "--seed is for training episodes of the address-value task. Use --eval-seed.");
  const auto seed = read_number(options.source.eval_seed, "--eval-seed", kPaperEvaluationSeed, 0, kLargestSeed);
  if (!seed) return seed.error();
  return print_rows({.task = *options.task,
                     .setting = options.request.setting,
                     .scenario = options.request.scenario,
                     .delay = options.request.delay,
                     .seed = static_cast<std::uint64_t>(*seed),
                     .episode = static_cast<std::uint64_t>(index)},
                    console);
}

Status sample(const SampleOptions& options, Console& console) {
  const auto number = read_number(options.episode, "--episode", 0, 0, kMostEpisodes - 1);
  if (!number) return number.error();
  if (options.task && *options.task != AddressValueTask::kName) return sample_rows(options, *number, console);
  const auto request = options.request.read();
  if (!request) return request.error();
  const auto index = read_number(options.episode, "--episode", 0, 0, kMostEpisodes - 1);
  if (!index) return index.error();
  // An evaluation episode depends on the size of its batch, so the whole set is opened even for one of it.
  const std::size_t batches = static_cast<std::size_t>(*index) / kPaperEvaluationBatch + 1;
  const std::size_t count = std::max(kPaperEvaluationEpisodes, batches * kPaperEvaluationBatch);
  auto source = TokenSource::open(*request, options.source, count);
  if (!source) return source.error();
  std::span<const Token> tokens = source.value().next();
  for (std::int64_t i = 0; i < *index; ++i) tokens = source.value().next();
  if (console.json) return console.print(episode_json(source.value(), static_cast<std::uint64_t>(*index), tokens));
  return console.print(table(console.paint, source.value(), *index, tokens));
}

}  // namespace

void register_task_sample(CLI::App& task, Commands& commands) {
  const auto options = std::make_shared<SampleOptions>();
  CLI::App& command = commands.add(
      task, "sample", "One episode as a table: what is written, waited, asked and expected, and its group.",
      "schemamem task sample --setting A3V3 --scenario overwrite --delay 8\n"
      "schemamem task sample --setting A3V3 --scenario retention --delay 96 --episode 511\n"
      "schemamem task sample --setting A4V4 --scenario transaction-half --seed 42\n"
      "schemamem task sample --task mqar --setting V64L32P4 --scenario pairs-4 --delay 32");
  options->request.add_to(command);
  options->source.add_to(command);
  command.add_option("--task", options->task, "The task (address-value)")->type_name("NAME");
  command.add_option("--episode", options->episode, "Which one, counted from 0 (default 0)")->type_name("N");
  commands.on(command, [options](Console& console) { return sample(*options, console); });
}

}  // namespace schemamem
