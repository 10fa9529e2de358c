#pragma once

#include <rapidcheck.h>

#include <vector>

#include "task/episode_stream.h"
#include "task/scenarios.h"
#include "task/task_case.h"

namespace schemamem::test {

/// Cases of these scenarios in any setting up to A8V16, with delays up to 400.
inline rc::Gen<TaskCase> case_of(const std::vector<Scenario>& scenarios) {
  return rc::gen::map(rc::gen::tuple(rc::gen::inRange(2, 9), rc::gen::inRange(2, 17), rc::gen::elementOf(scenarios),
                                     rc::gen::inRange<std::size_t>(0, 401)),
                      [](const auto& drawn) {
                        const auto& [address_bits, value_bits, scenario, delay] = drawn;
                        return TaskCase{.setting = {address_bits, value_bits},
                                        .scenario = scenario,
                                        .delay = info(scenario).takes_delay() ? delay : 0};
                      });
}

/// Of the paper's scenarios.
inline rc::Gen<TaskCase> any_case() {
  std::vector<Scenario> scenarios;
  for (const ScenarioInfo& row : all_scenarios()) {
    if (!row.segments.empty()) scenarios.push_back(row.scenario);
  }
  return case_of(scenarios);
}

inline rc::Gen<TaskCase> maintenance_case() {
  return case_of({Scenario::kImmediate, Scenario::kRetention, Scenario::kInterference, Scenario::kOverwrite});
}

inline rc::Gen<EpisodeAddress> any_address() {
  return rc::gen::map(rc::gen::pair(rc::gen::arbitrary<std::uint64_t>(), rc::gen::arbitrary<std::uint64_t>()),
                      [](const auto& drawn) {
                        return EpisodeAddress{.seed = drawn.first, .purpose = Purpose::kTest, .index = drawn.second};
                      });
}

inline std::vector<Token> make_episode(const TaskCase& request, const EpisodeAddress& address) {
  std::vector<Token> tokens(episode_size(request).tokens());
  EpisodeMaker(request.setting).make(request, address, tokens);
  return tokens;
}

}  // namespace schemamem::test

namespace schemamem {

/// Counterexamples are printed by their name.
inline void showValue(const TaskCase& request, std::ostream& out) { out << request.name(); }
inline void showValue(const EpisodeAddress& address, std::ostream& out) {
  out << "seed " << address.seed << " index " << address.index;
}

}  // namespace schemamem
