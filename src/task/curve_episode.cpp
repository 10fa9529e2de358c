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

std::uint64_t CurveEpisode::address(Part part, std::size_t delay) const {
  static_assert(kLongestStreamedDelay < (std::int64_t{1} << 40));
  return (static_cast<std::uint64_t>(delay) << 24) | (index_ << 4) | (*info(scenario_).paper_index << 2) |
         static_cast<std::uint64_t>(part);
}

void CurveEpisode::begin(std::uint64_t index) {
  require(index < kMostEpisodes, "CurveEpisode::begin: an episode this far has no address");
  index_ = index;
  maker_.make({.setting = setting_, .scenario = scenario_},
              {.seed = seed_, .purpose = Purpose::kEvaluationEpisode, .index = address(Part::kStart, 0)}, tokens_);
  for (const Token& token : std::span(tokens_).last(setting_.addresses()))
    by_address_[static_cast<std::size_t>(token.address)] = token;
  never_written_.clear();
  for (const Token& token : by_address_) {
    if (token.group == Group::kDefault) never_written_.push_back(static_cast<Number>(token.address));
  }
  fillers_ = Rng::stream(seed_, Purpose::kEvaluationEpisode, address(Part::kFillers, 0));
}

std::span<const Token> CurveEpisode::questions(std::size_t delay) {
  std::copy(by_address_.begin(), by_address_.end(), asked_.begin());
  Rng order = Rng::stream(seed_, Purpose::kEvaluationEpisode, address(Part::kQuestions, delay));
  order.shuffle(std::span(asked_));
  return asked_;
}

}  // namespace schemamem
