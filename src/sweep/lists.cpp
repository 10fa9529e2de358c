#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/parse.h"
#include "base/text.h"
#include "models/registry.h"
#include "sweep/plan.h"
#include "task/address_value.h"
#include "task/registry.h"

namespace schemamem {
namespace {

constexpr std::int64_t kMostSeeds = 10'000;
constexpr std::int64_t kLargestSeed = (std::int64_t{1} << 62) - 1;

Error usage(std::string message) { return {ErrorKind::kUsage, std::move(message)}; }

/// The items of "a,b,c"; an empty one is refused.
Result<std::vector<std::string_view>> items(std::string_view text, std::string_view what) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    if (part.empty()) return usage(fmt::format("{} is a list with commas between its items; one is empty.", what));
    parts.push_back(part);
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

template <class T>
void add_once(std::vector<T>& list, T item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(std::move(item));
}

/// "3-5" or "3"
Result<std::pair<std::int64_t, std::int64_t>> range(std::string_view text, std::string_view what, std::int64_t least,
                                                    std::int64_t most) {
  const std::size_t dash = text.find('-');
  const auto first = parse_integer(text.substr(0, dash), what, least, most);
  if (!first) return first.error();
  if (dash == std::string_view::npos) return std::pair(*first, *first);
  const auto last = parse_integer(text.substr(dash + 1), what, least, most);
  if (!last) return last.error();
  if (*last < *first) return usage(fmt::format("{}: {} runs backwards.", what, quote(text)));
  return std::pair(*first, *last);
}

/// Calls `add` for every item until one is refused.
Status for_each(std::string_view text, std::string_view what, const std::function<Status(std::string_view)>& add) {
  const auto parts = items(text, what);
  if (!parts) return parts.error();
  for (const std::string_view part : *parts) {
    if (const Status added = add(part); !added) return added;
  }
  return Done{};
}

}  // namespace

namespace {

/// "A3V3,A4V5", "A3-5V3-5", "grid", and any of these joined by commas.
Result<std::vector<Setting>> parse_databases(std::string_view text) {
  std::vector<Setting> settings;
  const Status parsed = for_each(text, "--settings", [&](std::string_view part) -> Status {
    if (part == "grid") {
      for (const Setting& setting : paper_settings()) add_once(settings, setting);
      return Done{};
    }
    const std::size_t v = part.find('V');
    if (!part.starts_with('A') || v == std::string_view::npos || part.find('-') == std::string_view::npos) {
      const Result<Setting> setting = parse_setting(part);
      if (!setting) return setting.error();
      add_once(settings, *setting);
      return Done{};
    }
    const auto bits = [&](std::string_view digits) {
      return range(digits, fmt::format("The bits of {}", quote(part)), Setting::kFewestBits, Setting::kMostBits);
    };
    const auto address = bits(part.substr(1, v - 1)), value = bits(part.substr(v + 1));
    if (!address) return address.error();
    if (!value) return value.error();
    for (std::int64_t a = address->first; a <= address->second; ++a) {
      for (std::int64_t b = value->first; b <= value->second; ++b)
        add_once(settings, Setting{static_cast<int>(a), static_cast<int>(b)});
    }
    return Done{};
  });
  if (!parsed) return parsed.error();
  return settings;
}

}  // namespace

Result<std::vector<std::shared_ptr<const Task>>> parse_tasks(std::string_view task, std::string_view settings) {
  std::vector<std::string> names;
  if (task == AddressValueTask::kName) {
    const auto databases = parse_databases(settings);
    if (!databases) return databases.error();
    for (const Setting& one : *databases) names.push_back(one.name());
  } else {
    const Status parsed = for_each(settings, "--settings", [&](std::string_view part) -> Status {
      add_once(names, std::string(part));
      return Done{};
    });
    if (!parsed) return parsed.error();
  }
  std::vector<std::shared_ptr<const Task>> tasks;
  for (const std::string& name : names) {
    auto made = make_task(task, name);
    if (!made) return made.error();
    tasks.push_back(std::move(made).value());
  }
  return tasks;
}

Result<std::vector<std::uint64_t>> parse_seeds(std::string_view text) {
  std::vector<std::uint64_t> seeds;
  const Status parsed = for_each(text, "--seeds", [&](std::string_view part) -> Status {
    const auto bounds = range(part, "--seeds", 0, kLargestSeed);
    if (!bounds) return bounds.error();
    if (bounds->second - bounds->first >= kMostSeeds)
      return usage(fmt::format("--seeds: {} are more than {}.", quote(part), kMostSeeds));
    for (std::int64_t seed = bounds->first; seed <= bounds->second; ++seed)
      add_once(seeds, static_cast<std::uint64_t>(seed));
    return Done{};
  });
  if (!parsed) return parsed.error();
  return seeds;
}

Result<std::vector<ModelChoice>> parse_models(std::string_view text) {
  std::vector<ModelChoice> models;
  const Status parsed = for_each(text, "--models", [&](std::string_view part) -> Status {
    const Result<ModelChoice> choice = parse_model_choice(part);
    if (!choice) return choice.error();
    const Setting any;
    const auto spec = resolve_model(*choice, {.inputs = any.input_width(), .outputs = any.output_width()});
    if (!spec) return spec.error();
    add_once(models, *choice);
    return Done{};
  });
  if (!parsed) return parsed.error();
  return models;
}

Result<std::vector<SweepRecipe>> parse_recipes(std::string_view text, const std::vector<std::string>& overrides) {
  std::vector<SweepRecipe> recipes;
  const Status parsed = for_each(text, "--recipes", [&](std::string_view part) -> Status {
    Result<ResolvedRecipe> resolved = resolve_recipe(part, overrides);
    if (!resolved) return resolved.error();
    recipes.push_back({.source = std::string(part), .resolved = std::move(resolved).value()});
    return Done{};
  });
  if (!parsed) return parsed.error();
  return recipes;
}

Result<SweepPlan> parse_plan(const PlanLists& lists, std::vector<std::shared_ptr<const Task>> tasks) {
  SweepPlan plan;
  plan.tasks = std::move(tasks);
  auto models = parse_models(lists.models);
  if (!models) return models.error();
  plan.models = std::move(models).value();
  auto seeds = parse_seeds(lists.seeds);
  if (!seeds) return seeds.error();
  plan.seeds = std::move(seeds).value();
  auto recipes = parse_recipes(lists.recipes, lists.overrides);
  if (!recipes) return recipes.error();
  plan.recipes = std::move(recipes).value();
  return plan;
}

}  // namespace schemamem
