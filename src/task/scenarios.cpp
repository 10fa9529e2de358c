#include "task/scenarios.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/suggest.h"
#include "base/text.h"

namespace schemamem {
namespace {

using enum AddressSet;
using enum SegmentKind;

constexpr std::array kTransactionSegments{SegmentInfo{kWrite, kSubsetHalf}, SegmentInfo{kQuery, kSubset}};
constexpr std::array kImmediateSegments{SegmentInfo{kWrite, kFirstHalf}, SegmentInfo{kQuery, kAll}};
constexpr std::array kRetentionSegments{SegmentInfo{kWrite, kFirstHalf}, SegmentInfo{kDelay, kLastHalf},
                                        SegmentInfo{kQuery, kAll}};
constexpr std::array kInterferenceSegments{SegmentInfo{kWrite, kFirstQuarter}, SegmentInfo{kQuery, kAll},
                                           SegmentInfo{kWrite, kSecondQuarter}, SegmentInfo{kDelay, kLastHalf},
                                           SegmentInfo{kQuery, kAll}};
constexpr std::array kOverwriteSegments{SegmentInfo{kWrite, kFirstHalf}, SegmentInfo{kQuery, kAll},
                                        SegmentInfo{kWrite, kFirstQuarter}, SegmentInfo{kDelay, kLastHalf},
                                        SegmentInfo{kQuery, kAll}};

constexpr std::array kUpdatedDefault{Group::kUpdated, Group::kDefault};
constexpr std::array kRetainedDefault{Group::kRetained, Group::kDefault};
constexpr std::array kAllFour{Group::kRetained, Group::kUpdated, Group::kDefault, Group::kRewritten};
constexpr std::array kAllThree{Group::kRetained, Group::kUpdated, Group::kDefault};

/// In the order of the enumeration, which is how info() finds a row.
constexpr std::array kScenarios{
    ScenarioInfo{.scenario = Scenario::kTransactionQuarter,
                 .name = "transaction-quarter",
                 .family = Family::kTransaction,
                 .summary = "write half of a subset of N/4 addresses, ask the subset",
                 .segments = kTransactionSegments,
                 .scored = kUpdatedDefault,
                 .subset_divisor = 4},
    ScenarioInfo{.scenario = Scenario::kTransactionHalf,
                 .name = "transaction-half",
                 .family = Family::kTransaction,
                 .summary = "write half of a subset of N/2 addresses, ask the subset",
                 .segments = kTransactionSegments,
                 .scored = kUpdatedDefault,
                 .subset_divisor = 2},
    ScenarioInfo{.scenario = Scenario::kTransactionFull,
                 .name = "transaction-full",
                 .family = Family::kTransaction,
                 .summary = "write half of all addresses, ask them all",
                 .segments = kTransactionSegments,
                 .scored = kUpdatedDefault,
                 .subset_divisor = 1},
    ScenarioInfo{.scenario = Scenario::kImmediate,
                 .name = "immediate",
                 .family = Family::kMaintenance,
                 .summary = "write half of the addresses, ask all",
                 .segments = kImmediateSegments,
                 .scored = kUpdatedDefault,
                 .paper_index = 0},
    ScenarioInfo{.scenario = Scenario::kRetention,
                 .name = "retention",
                 .family = Family::kMaintenance,
                 .summary = "write half of the addresses, wait, ask all",
                 .segments = kRetentionSegments,
                 .scored = kRetainedDefault,
                 .latest = Group::kRetained,
                 .paper_index = 1},
    ScenarioInfo{.scenario = Scenario::kInterference,
                 .name = "interference",
                 .family = Family::kMaintenance,
                 .summary = "write a quarter, ask all, write another quarter, wait, ask all",
                 .segments = kInterferenceSegments,
                 .scored = kAllThree,
                 .paper_index = 2},
    ScenarioInfo{.scenario = Scenario::kOverwrite,
                 .name = "overwrite",
                 .family = Family::kMaintenance,
                 .summary = "write half of the addresses, ask all, rewrite half of them, wait, ask all",
                 .segments = kOverwriteSegments,
                 .scored = kAllThree,
                 .paper_index = 3},
    ScenarioInfo{.scenario = Scenario::kRounds,
                 .name = "rounds",
                 .family = Family::kRounds,
                 .summary = "write two addresses, ask eight, again and again, ask all",
                 .segments = {},
                 .scored = kAllFour},
};

}  // namespace

std::string_view family_name(Family family) {
  if (family == Family::kRounds) return "rounds";
  return family == Family::kTransaction ? "transaction" : "maintenance";
}

bool ScenarioInfo::takes_delay() const {
  return family == Family::kRounds ||
         std::any_of(segments.begin(), segments.end(), [](const SegmentInfo& s) { return s.kind == kDelay; });
}

std::span<const ScenarioInfo> all_scenarios() { return kScenarios; }

const ScenarioInfo& info(Scenario scenario) {
  const auto row = static_cast<std::size_t>(scenario);
  require(row < kScenarios.size(), "info: not a scenario");
  return kScenarios[row];
}

Result<Scenario> parse_scenario(std::string_view name) {
  std::vector<std::string> names;
  for (const ScenarioInfo& scenario : kScenarios) {
    if (scenario.name == name) return scenario.scenario;
    names.emplace_back(scenario.name);
  }
  return Error(ErrorKind::kUsage, fmt::format("Unknown scenario {}: expected one of {}.{}", quote(name),
                                              fmt::join(names, ", "), did_you_mean(name, names)));
}

}  // namespace schemamem
