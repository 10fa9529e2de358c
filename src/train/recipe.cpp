#include "train/recipe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace schemamem {
namespace {

std::string text_of(const std::string& value) { return fmt::format("\"{}\"", value); }
std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(std::int64_t value) { return fmt::format("{}", value); }
std::string text_of(double value) { return fmt::format("{}", value); }
std::string text_of(const std::vector<double>& values) { return fmt::format("[{}]", fmt::join(values, ", ")); }

std::string range_of(const Allowed& allowed, std::string_view what) {
  return fmt::format("{} from {} to {}", what, allowed.least, allowed.most);
}
std::string allowed_of(const std::string&, const Allowed& allowed) {
  return fmt::format("one of {}", fmt::join(allowed.words, ", "));
}
std::string allowed_of(bool, const Allowed&) { return "true or false"; }
std::string allowed_of(std::int64_t, const Allowed& allowed) { return range_of(allowed, "a whole number"); }
std::string allowed_of(double, const Allowed& allowed) { return range_of(allowed, "a number"); }
std::string allowed_of(const std::vector<double>&, const Allowed& allowed) {
  return range_of(allowed, fmt::format("a list of {} numbers", allowed.count));
}

}  // namespace

Status check_shards(const Recipe& recipe) {
  const auto& batch = recipe.batch;
  if (batch.shards <= std::max(batch.episodes, Recipe{}.batch.shards)) return Done{};
  return Error(ErrorKind::kUsage,
               fmt::format("batch.shards is {}, more than the {} episodes of a batch (batch.episodes): some would be "
                           "empty.",
                           batch.shards, batch.episodes));
}

std::vector<RecipeField> describe(const Recipe& recipe) {
  std::vector<std::string> defaults;
  const Recipe unchanged;
  Recipe::fields(unchanged, [&](std::string_view, const auto& value, const Allowed&, std::string_view, FieldAge) {
    defaults.push_back(text_of(value));
  });
  std::vector<RecipeField> all;
  Recipe::fields(recipe, [&](std::string_view name, const auto& value, const Allowed& allowed, std::string_view doc,
                             FieldAge age) {
    const std::string text = text_of(value);
    const bool silent = age == FieldAge::kAddedLater && text == defaults[all.size()];
    all.push_back({std::string(name), text, std::string(doc), allowed_of(value, allowed), silent});
  });
  return all;
}

std::vector<RecipeField> stored_fields(const Recipe& recipe) {
  std::vector<RecipeField> fields = describe(recipe);
  std::erase_if(fields, [](const RecipeField& field) { return field.silent; });
  return fields;
}

}  // namespace schemamem
