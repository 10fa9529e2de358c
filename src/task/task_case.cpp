#include "task/task_case.h"

#include <fmt/format.h>

#include "base/parse.h"

namespace schemamem {

std::string TaskCase::name() const { return fmt::format("{}/{}/{}", setting.name(), info(scenario).name, delay); }

Status check(const TaskCase& request, std::int64_t longest_delay) {
  if (!is_supported(request.setting))
    return Error(ErrorKind::kUsage, fmt::format("Setting {} is not supported: address and value bits go from {} to {}.",
                                                request.setting.name(), Setting::kFewestBits, Setting::kMostBits));
  const ScenarioInfo& scenario = info(request.scenario);
  if (request.delay > 0 && !scenario.takes_delay())
    return Error(ErrorKind::kUsage,
                 fmt::format("Scenario \"{}\" has no delay, found delay {}. Leave the delay out, or choose "
                             "retention, interference, overwrite or rounds.",
                             scenario.name, request.delay));
  if (request.delay > static_cast<std::size_t>(longest_delay))
    return Error(ErrorKind::kUsage,
                 fmt::format("The delay must be at most {}, found {}.", longest_delay, request.delay));
  return Done{};
}

Result<TaskCase> parse_case(std::string_view setting, std::string_view scenario,
                            std::optional<std::string_view> delay) {
  const auto parsed_setting = parse_setting(setting);
  if (!parsed_setting) return parsed_setting.error();
  const auto parsed_scenario = parse_scenario(scenario);
  if (!parsed_scenario) return parsed_scenario.error();
  TaskCase request{.setting = *parsed_setting, .scenario = *parsed_scenario};
  if (delay) {
    const auto parsed_delay = parse_integer(*delay, "The delay", 0, kLongestDelay);
    if (!parsed_delay) return parsed_delay.error();
    request.delay = static_cast<std::size_t>(*parsed_delay);
  } else if (info(*parsed_scenario).takes_delay()) {
    return Error(ErrorKind::kUsage,
                 fmt::format("Scenario \"{}\" needs a delay, none was given. The paper uses 96, 192, "
                             "384, 768 and 1536.",
                             scenario));
  }
  if (const Status status = check(request); !status) return status.error();
  return request;
}

EpisodeSize episode_size(const TaskCase& request) {
  const ScenarioInfo& scenario = info(request.scenario);
  if (scenario.family == Family::kRounds) return {.queries = request.setting.addresses(), .delay = request.delay};
  EpisodeSize size;
  for (const SegmentInfo& segment : scenario.segments) {
    const std::size_t count = places(scenario, segment.set, request.setting).size();
    switch (segment.kind) {
      case SegmentKind::kWrite:
        size.writes += count;
        break;
      case SegmentKind::kQuery:
        size.queries += count;
        break;
      case SegmentKind::kDelay:
        size.delay += request.delay;
        break;
    }
  }
  return size;
}

}  // namespace schemamem
