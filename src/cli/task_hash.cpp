#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/task_commands.h"
#include "cli/task_options.h"
#include "task/evaluation_episodes.h"

namespace schemamem {
namespace {

struct HashOptions {
  CaseOptions request;
  Text episodes, eval_seed;
};

Status hash(const HashOptions& options, Console& console) {
  const auto request = options.request.read();
  if (!request) return request.error();
  if (const Status status = check_evaluation(*request); !status) return status.error();
  const auto episodes = read_number(options.episodes, "--episodes", kPaperEvaluationEpisodes, 1, kMostEpisodes);
  if (!episodes) return episodes.error();
  const auto seed = read_number(options.eval_seed, "--eval-seed", kPaperEvaluationSeed, 0, kLargestSeed);
  if (!seed) return seed.error();

  const std::string digest = evaluation_hash(
      *request, {.seed = static_cast<std::uint64_t>(*seed), .episodes = static_cast<std::size_t>(*episodes)});
  if (!console.json) return console.print(fmt::format("{}  {}\n", digest, request->name()));
  const nlohmann::ordered_json answer{{"sha256", digest},
                                      {"setting", request->setting.name()},
                                      {"scenario", info(request->scenario).name},
                                      {"delay", request->delay},
                                      {"episodes", *episodes},
                                      {"eval_seed", *seed}};
  return console.print(answer.dump() + "\n");
}

}  // namespace

void register_task_hash(CLI::App& task, Commands& commands) {
  const auto options = std::make_shared<HashOptions>();
  CLI::App& command = commands.add(task, "hash", "SHA-256 over a case's evaluation episodes.",
                                   "schemamem task hash --setting A3V3 --scenario retention --delay 96 --json\n"
                                   "schemamem task hash --setting A5V5 --scenario immediate\n"
                                   "schemamem task hash --setting A3V3 --scenario overwrite --delay 96 --eval-seed 7");
  options->request.add_to(command);
  command.add_option("--episodes", options->episodes, "How many (the paper's: 512)")->type_name("N");
  command.add_option("--eval-seed", options->eval_seed, "Seed of the episodes (the paper's: 20261001)")->type_name("N");
  commands.on(command, [options](Console& console) { return hash(*options, console); });
}

}  // namespace schemamem
