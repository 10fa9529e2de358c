#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "task/scenarios.h"
#include "task/setting.h"

namespace schemamem {

/// Queries a delay may have where an episode is held in memory whole, 16 bytes a token.
inline constexpr std::int64_t kLongestDelay = 1'000'000;
/// Queries a delay may have where it is drawn piece by piece.
inline constexpr std::int64_t kLongestStreamedDelay = 1'000'000'000;

/// Which episodes: a setting, a scenario and its delay.
struct TaskCase {
  Setting setting;
  Scenario scenario = Scenario::kImmediate;
  std::size_t delay = 0;

  /// "A3V3/retention/96", the name it has in tables of hashes and results.
  std::string name() const;

  friend bool operator==(const TaskCase&, const TaskCase&) = default;
};

/// Checks a case that came from outside: the setting is supported, the delay fits the scenario and the limit.
Status check(const TaskCase& request, std::int64_t longest_delay = kLongestDelay);

/// A checked case from its written parts. A scenario with a delay needs one; the others take none, or 0.
Result<TaskCase> parse_case(std::string_view setting, std::string_view scenario, std::optional<std::string_view> delay);

/// Tokens of every episode of the case, and how many of them write and how many ask outside a delay. Of rounds, the
/// delay is their inputs, writes among them.
struct EpisodeSize {
  std::size_t writes = 0;
  std::size_t queries = 0;
  std::size_t delay = 0;

  std::size_t tokens() const { return writes + queries + delay; }
};
EpisodeSize episode_size(const TaskCase& request);

}  // namespace schemamem
