#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/task_commands.h"
#include "cli/task_options.h"
#include "task/rounds.h"
#include "task/task_case.h"

namespace schemamem {
namespace {

using nlohmann::ordered_json;

std::vector<std::string> scored_groups(const ScenarioInfo& scenario) {
  std::vector<std::string> names;
  for (const Group group : scenario.scored) names.emplace_back(group_name(group));
  return names;
}

/// "W(4) D Q(8)"
std::string segments_text(const ScenarioInfo& scenario, const Setting& setting) {
  if (scenario.family == Family::kRounds)
    return fmt::format("{} {} ... Q({})", Rounds().name(), Rounds().name(), setting.addresses());
  std::vector<std::string> parts;
  for (const SegmentInfo& segment : scenario.segments) {
    const std::size_t count = places(scenario, segment.set, setting).size();
    switch (segment.kind) {
      case SegmentKind::kWrite:
        parts.push_back(fmt::format("W({})", count));
        break;
      case SegmentKind::kQuery:
        parts.push_back(fmt::format("Q({})", count));
        break;
      case SegmentKind::kDelay:
        parts.emplace_back("D");
        break;
    }
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

ordered_json segments_json(const ScenarioInfo& scenario, const Setting& setting) {
  ordered_json segments = ordered_json::array();
  if (scenario.family == Family::kRounds) {
    segments.push_back({{"kind", "rounds"}, {"tokens", "delay"}, {"round", Rounds().name()}});
    segments.push_back({{"kind", "query"}, {"tokens", setting.addresses()}});
  }
  for (const SegmentInfo& segment : scenario.segments) {
    const std::size_t count = places(scenario, segment.set, setting).size();
    switch (segment.kind) {
      case SegmentKind::kWrite:
        segments.push_back({{"kind", "write"}, {"tokens", count}});
        break;
      case SegmentKind::kQuery:
        segments.push_back({{"kind", "query"}, {"tokens", count}});
        break;
      case SegmentKind::kDelay:
        segments.push_back({{"kind", "delay"}, {"tokens", "delay"}});
        break;
    }
  }
  return segments;
}

std::string as_json(const Setting& setting) {
  ordered_json answer{{"setting", setting.name()},
                      {"address_bits", setting.address_bits},
                      {"value_bits", setting.value_bits},
                      {"addresses", setting.addresses()},
                      {"values", setting.values()},
                      {"input_width", setting.input_width()},
                      {"output_width", setting.output_width()},
                      {"default", "address mod values"},
                      {"longest_delay", kLongestDelay},
                      {"scenarios", ordered_json::array()}};
  for (const ScenarioInfo& scenario : all_scenarios()) {
    const TaskCase request{.setting = setting, .scenario = scenario.scenario};
    answer["scenarios"].push_back({{"name", scenario.name},
                                   {"family", family_name(scenario.family)},
                                   {"summary", scenario.summary},
                                   {"segments", segments_json(scenario, setting)},
                                   {"groups", scored_groups(scenario)},
                                   {"takes_delay", scenario.takes_delay()},
                                   {"tokens_without_delay", episode_size(request).tokens()}});
  }
  return answer.dump() + "\n";
}

std::string as_text(const Setting& setting, const Paint& paint) {
  constexpr std::size_t kShown = 16;
  std::string defaults;
  for (std::size_t j = 0; j < std::min(kShown, setting.addresses()); ++j)
    defaults += fmt::format(" {}", setting.default_value(j));
  if (setting.addresses() > kShown) defaults += " …";

  std::string text = paint.bold(setting.name()) + fmt::format(": {} addresses, each holding one of {} values\n\n",
                                                              setting.addresses(), setting.values());
  text += fmt::format("  input     {} numbers a token: {} address bits, {} value bits, 1 validity bit\n",
                      setting.input_width(), setting.address_bits, setting.value_bits);
  text += "            least significant bit first; validity 1 writes, 0 asks (value bits zero)\n";
  text += fmt::format("  output    {} bits, the value asked for\n", setting.output_width());
  text += fmt::format("  default   address j holds j mod {} until it is written:{}\n\n", setting.values(), defaults);

  std::size_t width = 26, groups = 26;
  for (const ScenarioInfo& scenario : all_scenarios()) {
    width = std::max(width, segments_text(scenario, setting).size());
    groups = std::max(groups, fmt::format("{}", fmt::join(scored_groups(scenario), ", ")).size());
  }
  const std::string row = fmt::format("  {{:<21}}{{:<{}}}  {{:<{}}}  {{}}\n", width, groups);
  text += paint.bold(fmt::format(fmt::runtime(row), "scenario", "segments", "scored groups", "tokens"));
  for (const ScenarioInfo& scenario : all_scenarios()) {
    const EpisodeSize size = episode_size({.setting = setting, .scenario = scenario.scenario});
    text += fmt::format(fmt::runtime(row), scenario.name, segments_text(scenario, setting),
                        fmt::format("{}", fmt::join(scored_groups(scenario), ", ")),
                        fmt::format("{}{}", size.tokens(), scenario.takes_delay() ? " + delay" : ""));
  }
  text += paint.dim(
      fmt::format("\n  W(n) writes n addresses. Q(n) asks n addresses in random order; the last Q is "
                  "scored.\n"
                  "  D is the delay: reads of never-written addresses (the paper: 96, 192, 384, 768, "
                  "1536; at most {}).\n"
                  "  W2R8 is a round: two writes to any addresses, eight queries of any; the delay of rounds is "
                  "their inputs.\n"
                  "  Transactions write any value; the others only values that differ from the current "
                  "one and the default.\n",
                  kLongestDelay));
  return text;
}

Status describe(const Text& name, Console& console) {
  const auto setting = parse_setting(name.value_or("A3V3"));
  if (!setting) return setting.error();
  return console.print(console.json ? as_json(*setting) : as_text(*setting, console.paint));
}

}  // namespace

void register_task_describe(CLI::App& task, Commands& commands) {
  const auto setting = std::make_shared<Text>();
  CLI::App& command = commands.add(task, "describe", "What a setting is: sizes, bits, defaults and all scenarios.",
                                   "schemamem task describe\n"
                                   "schemamem task describe --setting A5V4 --json");
  command.add_option("--setting", *setting, "Address and value bits, 2 to 16 each (default A3V3)")->type_name("AaVv");
  commands.on(command, [setting](Console& console) { return describe(*setting, console); });
}

}  // namespace schemamem
