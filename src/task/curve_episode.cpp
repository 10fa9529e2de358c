#include "task/curve_episode.h"

#include <algorithm>

namespace schemamem {

CurveEpisode::CurveEpisode(const Setting& setting, Scenario scenario, std::uint64_t seed)
    : setting_(setting),
      scenario_(scenario),
      seed_(seed),
      maker_(setting),
      fillers_(Rng::stream(seed, Purpose::kEvaluationEpisode, 0)),
      tokens_(episode_size({.setting = setting, .scenario = scenario}).tokens()),
      by_address_(setting.addresses()),
      asked_(setting.addresses()) {
  require(info(scenario).takes_delay() && info(scenario).paper_index, "CurveEpisode: the scenario takes no delay");
}

Rng CurveEpisode::stream(Part part, std::size_t delay) const {
  const EpisodeAddress at = address(part, delay);
  return Rng::stream(at.seed, at.purpose, at.index);
}

EpisodeAddress CurveEpisode::address(Part part, std::size_t delay) const {
  static_assert(kLongestStreamedDelay < (std::int64_t{1} << 40));
  const std::uint64_t scenario = *info(scenario_).paper_index;
  const bool first = scenario < kFirstScenarios;
  return {.seed = seed_,
          .purpose = first ? Purpose::kEvaluationEpisode : curve_purpose(scenario),
          .index = (static_cast<std::uint64_t>(delay) << 24) | (index_ << 4) | ((first ? scenario : 0) << 2) |
                   static_cast<std::uint64_t>(part)};
}

void CurveEpisode::begin(std::uint64_t index) {
  require(index < kMostEpisodes, "CurveEpisode::begin: an episode this far has no address");
  index_ = index;
  maker_.make({.setting = setting_, .scenario = scenario_}, address(Part::kStart, 0), tokens_);
  for (const Token& token : std::span(tokens_).last(setting_.addresses()))
    by_address_[static_cast<std::size_t>(token.address)] = token;
  never_written_.clear();
  for (const Token& token : by_address_) {
    if (token.group == Group::kDefault) never_written_.push_back(static_cast<Number>(token.address));
  }
  fillers_ = stream(Part::kFillers, 0);
}

std::span<const Token> CurveEpisode::questions(std::size_t delay) {
  std::copy(by_address_.begin(), by_address_.end(), asked_.begin());
  Rng order = stream(Part::kQuestions, delay);
  order.shuffle(std::span(asked_));
  return asked_;
}

}  // namespace schemamem
