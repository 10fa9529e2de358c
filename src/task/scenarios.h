#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "task/episode.h"
#include "task/setting.h"

namespace schemamem {

enum class Family { kTransaction, kMaintenance, kRounds };
/// "transaction", "maintenance", "rounds", as `task describe` spells it.
std::string_view family_name(Family family);

enum class Scenario {
  kTransactionQuarter,
  kTransactionHalf,
  kTransactionFull,
  kImmediate,
  kRetention,
  kInterference,
  kOverwrite,
  kRounds,
};

enum class SegmentKind {
  kWrite,  // W: writes every address of its set once
  kDelay,  // D: queries addresses that the episode never writes, drawn with replacement
  kQuery,  // Q: queries every address of its set once, in random order
};

/// Places of an episode's random order of addresses.
enum class AddressSet {
  kAll,
  kFirstHalf,
  kFirstQuarter,
  kSecondQuarter,
  kLastHalf,  // never written in maintenance
  kSubset,    // the q addresses a transaction is about
  kSubsetHalf,
};

struct SegmentInfo {
  SegmentKind kind;
  AddressSet set;
};

/// One row of the table of scenarios: everything that distinguishes it from the others.
struct ScenarioInfo {
  Scenario scenario;
  std::string_view name;
  Family family;
  std::string_view summary;
  std::span<const SegmentInfo> segments;  // rounds have none: their delay is the inputs of rounds (task/rounds.h)
  std::span<const Group> scored;          // the groups of the last Q, in the order of their numbers
  /// Group of the addresses of the latest write when they are asked. Earlier writes are retained.
  Group latest = Group::kUpdated;
  std::size_t subset_divisor = 1;              // a subset has N / subset_divisor addresses
  std::optional<std::uint64_t> paper_index{};  // its number in the seeds of the paper's evaluation episodes

  bool takes_delay() const;
  /// Whether a write must differ from the address's current value and from its default.
  bool writes_change() const { return family == Family::kMaintenance; }
};

std::span<const ScenarioInfo> all_scenarios();
const ScenarioInfo& info(Scenario scenario);
Result<Scenario> parse_scenario(std::string_view name);

/// As records spell it.
constexpr std::string_view group_name(Group group) {
  switch (group) {
    case Group::kRetained:
      return "retained";
    case Group::kUpdated:
      return "updated";
    case Group::kDefault:
      return "default";
    case Group::kFiller:
      return "filler";
    case Group::kRewritten:
      return "rewritten";
    case Group::kNone:
      break;
  }
  return "none";
}

/// Places [first, last) of the order of addresses.
struct Places {
  std::size_t first = 0;
  std::size_t last = 0;

  std::size_t size() const { return last - first; }
};

/// A subset has at least two addresses, one written and one not, so that both groups are asked (A2, a quarter: q = 2).
inline Places places(const ScenarioInfo& scenario, AddressSet set, const Setting& setting) {
  const std::size_t n = setting.addresses();
  const std::size_t subset = std::max<std::size_t>(2, n / scenario.subset_divisor);
  switch (set) {
    case AddressSet::kFirstHalf:
      return {0, n / 2};
    case AddressSet::kFirstQuarter:
      return {0, n / 4};
    case AddressSet::kSecondQuarter:
      return {n / 4, n / 2};
    case AddressSet::kLastHalf:
      return {n / 2, n};
    case AddressSet::kSubset:
      return {0, subset};
    case AddressSet::kSubsetHalf:
      return {0, subset / 2};
    case AddressSet::kAll:
      break;
  }
  return {0, n};
}

}  // namespace schemamem
