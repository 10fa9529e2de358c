#include "cli/token_source.h"

#include <fmt/format.h>

#include <iterator>

namespace schemamem {

void SourceOptions::add_to(CLI::App& command) {
  command.add_option("--eval-seed", eval_seed, "Seed of the evaluation episodes (the paper's: 20261001)")
      ->type_name("N");
  command.add_option("--seed", seed, "Take training episodes from the stream of this seed instead")->type_name("N");
}

Result<TokenSource> TokenSource::open(const TaskCase& request, const SourceOptions& options, std::size_t count) {
  if (options.seed && options.eval_seed)
    return Error(ErrorKind::kUsage,
                 "--seed and --eval-seed exclude each other: the first takes training episodes, the second evaluation "
                 "episodes. Leave one out.");
  TokenSource source(request);
  if (options.seed) {
    const auto seed = read_number(options.seed, "--seed", 0, 0, kLargestSeed);
    if (!seed) return seed.error();
    source.seed_ = static_cast<std::uint64_t>(*seed);
    source.maker_.emplace(request.setting);
    source.tokens_.resize(episode_size(request).tokens());
    return source;
  }
  const auto seed = read_number(options.eval_seed, "--eval-seed", kPaperEvaluationSeed, 0, kLargestSeed);
  if (!seed) return seed.error();
  if (const Status status = check_evaluation(request); !status)
    return Error(status.error().kind(), status.error().message() + " Or add --seed for training episodes of it.");
  source.seed_ = static_cast<std::uint64_t>(*seed);
  source.evaluation_.emplace(request, EvaluationOptions{.seed = source.seed_, .episodes = count});
  return source;
}

std::span<const Token> TokenSource::next() {
  if (evaluation_) return evaluation_->next();
  maker_->make(case_, {.seed = seed_, .purpose = Purpose::kTrainEpisode, .index = index_++}, tokens_);
  return tokens_;
}

std::string episode_json(const TokenSource& source, std::uint64_t index, std::span<const Token> tokens) {
  const TaskCase& request = source.request();
  // Written by hand: every part is a number or a known name, and an episode may have a million tokens.
  std::string line = fmt::format(
      R"({{"setting":"{}","scenario":"{}","delay":{},"source":"{}","seed":{},"episode":{},"segment_ends":[{}],"tokens":[)",
      request.setting.name(), info(request.scenario).name, request.delay, source.kind(), source.seed(), index,
      fmt::join(segment_ends(tokens), ","));
  for (const Token& token : tokens) {
    fmt::format_to(std::back_inserter(line), "[{},{},{},{},{}],", token.address, token.value, token.label,
                   static_cast<int>(token.group), token.final ? 1 : 0);
  }
  line.back() = ']';  // the last comma
  return line + "}\n";
}

}  // namespace schemamem
