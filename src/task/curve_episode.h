#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.h"
#include "task/episode_stream.h"

namespace schemamem {

/// An episode of a delay curve: one long stream of fillers that is asked its final questions at any number of delays,
/// by forking it. What it contains at a delay depends on the setting, the scenario, the seed, its index and that delay,
/// not on the other delays (docs/formats.md, "Episodes of a curve"). Holds scratch, so each thread has its own.
class CurveEpisode {
 public:
  /// `index` is below this, so that no two streams have one address.
  static constexpr std::uint64_t kMostEpisodes = std::uint64_t{1} << 20;

  /// The scenario is one that takes a delay.
  CurveEpisode(const Setting& setting, Scenario scenario, std::uint64_t seed);

  void begin(std::uint64_t index);
  std::span<const Token> before() const { return {tokens_.data(), tokens_.size() - setting_.addresses()}; }
  Token next_filler() { return filler(setting_, never_written_[fillers_.below(never_written_.size())]); }
  /// The final queries as they are asked after `delay` fillers; valid until the next call.
  std::span<const Token> questions(std::size_t delay);

 private:
  enum class Part : std::uint64_t { kStart = 0, kFillers = 1, kQuestions = 2 };
  /// Scenarios whose number has a place in the index of a stream; the others have purposes of their own.
  static constexpr std::uint64_t kFirstScenarios = 4;
  EpisodeAddress address(Part part, std::size_t delay) const;
  Rng stream(Part part, std::size_t delay) const;

  Setting setting_;
  Scenario scenario_;
  std::uint64_t seed_, index_ = 0;
  EpisodeMaker maker_;
  Rng fillers_;
  std::vector<Token> tokens_;  // the episode without a delay
  std::vector<Number> never_written_;
  std::vector<Token> by_address_, asked_;
};

}  // namespace schemamem
