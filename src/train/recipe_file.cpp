#include "train/recipe_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/name.h"
#include "base/suggest.h"
#include "base/text.h"
#include "system/files.h"
#include "train/toml_text.h"

namespace schemamem {
namespace {

constexpr std::uint64_t kLargestFile = 1 << 20;
constexpr int kDeepestExtends = 8;

Error bad(const std::string& file, std::string message) {
  return {ErrorKind::kBadData, fmt::format("{}: {}", file, message)};
}

std::vector<std::string> field_names() {
  std::vector<std::string> names;
  for (const RecipeField& field : describe({})) names.push_back(field.name);
  return names;
}

bool in_range(double value, const Allowed& allowed) { return value >= allowed.least && value <= allowed.most; }

/// Each reads a value if it has the right type and range.
bool read(const toml::node& node, const Allowed&, bool& out) {
  const auto value = node.value_exact<bool>();
  if (value) out = *value;
  return value.has_value();
}
bool read(const toml::node& node, const Allowed& allowed, std::int64_t& out) {
  const auto value = node.value_exact<std::int64_t>();
  if (!value || !in_range(static_cast<double>(*value), allowed)) return false;
  out = *value;
  return true;
}
bool read(const toml::node& node, const Allowed& allowed, double& out) {
  const auto value = node.is_number() ? node.value<double>() : std::nullopt;
  if (!value || !in_range(*value, allowed)) return false;
  out = *value;
  return true;
}
bool read(const toml::node& node, const Allowed& allowed, std::string& out) {
  const auto value = node.value_exact<std::string>();
  if (!value || std::find(allowed.words.begin(), allowed.words.end(), *value) == allowed.words.end()) return false;
  out = *value;
  return true;
}
bool read(const toml::node& node, const Allowed& allowed, std::vector<double>& out) {
  const toml::array* const list = node.as_array();
  if (list == nullptr || list->size() != allowed.count) return false;
  std::vector<double> values;
  for (const toml::node& item : *list) {
    double value = 0;
    if (!read(item, allowed, value)) return false;
    values.push_back(value);
  }
  out = std::move(values);
  return true;
}

/// Sets one field from a node of a file.
Status assign(const std::string& name, const toml::node& node, const std::string& file, const std::string& origin,
              ResolvedRecipe& resolved) {
  bool known = false, right = false;
  std::string expected;
  Recipe::fields(resolved.recipe,
                 [&](std::string_view field, auto& value, const Allowed& allowed, std::string_view, FieldAge) {
                   if (field != name) return;
                   known = true;
                   right = read(node, allowed, value);
                 });
  if (right) {
    resolved.origin[name] = origin;
    return Done{};
  }
  if (!known) {
    return bad(file, fmt::format("unknown field {}.{} `schemamem config explain` lists all of them.", quote(name),
                                 did_you_mean(name, field_names())));
  }
  for (const RecipeField& field : describe({})) {
    if (field.name == name) expected = field.allowed;
  }
  return bad(file, fmt::format("{} must be {}, found {}.", name, expected, printable(toml_text(node))));
}

/// Sets every field below a table.
Status assign_all(const toml::table& table, const std::string& prefix, const std::string& file,
                  ResolvedRecipe& resolved) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    if (name == "extends") continue;
    const Status status = node.is_table() ? assign_all(*node.as_table(), name + ".", file, resolved)
                                          : assign(name, node, file, file, resolved);
    if (!status) return status;
  }
  return Done{};
}

Result<ResolvedRecipe> load(std::string_view name, int depth);

Result<ResolvedRecipe> build(std::string_view toml, const std::string& name, const std::string& file, int depth) {
  const Result<toml::table> table = parse_toml(toml, file);
  if (!table) return table.error();
  ResolvedRecipe resolved;
  if (const toml::node* const node = table->get("extends")) {
    const auto parent = node->value_exact<std::string>();
    if (!parent) return bad(file, fmt::format("extends must name a recipe, found {}.", printable(toml_text(*node))));
    if (depth >= kDeepestExtends) return bad(file, "recipes extend each other in a circle, or too deeply.");
    Result<ResolvedRecipe> base = load(*parent, depth + 1);
    if (!base) return base.error().with(file);
    resolved = std::move(base).value();
  } else {
    for (const std::string& field : field_names()) resolved.origin[field] = "default";
  }
  resolved.name = name;
  if (const Status status = assign_all(*table, "", file, resolved); !status) return status.error();
  return resolved;
}

Result<ResolvedRecipe> load(std::string_view name, int depth) {
  for (const BuiltinRecipe& builtin : builtin_recipes()) {
    if (builtin.name == name)
      return build(builtin.toml, std::string(name), fmt::format("configs/{}.toml", name), depth);
  }
  if (!name.ends_with(".toml")) {
    const std::vector<std::string> known = builtin_recipe_names();
    return Error(ErrorKind::kUsage, fmt::format("Unknown recipe {}: expected one of {}, or the path of a .toml file.{}",
                                                quote(name), fmt::join(known, ", "), did_you_mean(name, known)));
  }
  const std::filesystem::path path(name);
  const Result<std::string> text = read_text_file(path, kLargestFile);
  if (!text) return text.error();
  // The file's name becomes the recipe's, and a part of the names of runs.
  if (const Status named = check_name(path.stem().string(), fmt::format("{}: the file's name", path.string())); !named)
    return named.error();
  return build(*text, path.stem().string(), path.string(), depth);
}

}  // namespace

std::vector<std::string> builtin_recipe_names() {
  std::vector<std::string> names;
  for (const BuiltinRecipe& builtin : builtin_recipes()) names.emplace_back(builtin.name);
  return names;
}

Result<ResolvedRecipe> override_recipe(ResolvedRecipe recipe, std::span<const std::string> overrides) {
  for (const std::string& text : overrides) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
      return Error(ErrorKind::kUsage, fmt::format("--set needs field=value, found {}.", quote(text)));
    const std::string name = text.substr(0, equals), value = text.substr(equals + 1);
    auto table = parse_toml("value = " + value, "--set " + printable(text));
    if (!table) table = parse_toml(fmt::format("value = '{}'", value), "--set " + printable(text));  // a bare word
    if (!table) return Error(ErrorKind::kUsage, table.error().message());
    const toml::node* const node = table->get("value");
    if (const Status status = assign(name, *node, "--set", "--set", recipe); !status)
      return Error(ErrorKind::kUsage, status.error().message());
  }
  return recipe;
}

Result<ResolvedRecipe> resolve_recipe(std::string_view name, std::span<const std::string> overrides) {
  Result<ResolvedRecipe> resolved = load(name, 0);
  return resolved ? override_recipe(std::move(resolved).value(), overrides) : resolved;
}

Result<ResolvedRecipe> parse_recipe(std::string_view toml, const std::string& name, const std::string& file,
                                    std::span<const std::string> overrides) {
  Result<ResolvedRecipe> resolved = build(toml, name, file, 0);
  return resolved ? override_recipe(std::move(resolved).value(), overrides) : resolved;
}

Result<Recipe> restore_recipe(const std::map<std::string, std::string>& values, const std::string& what) {
  ResolvedRecipe resolved;
  for (const auto& [name, value] : values) {
    const Result<toml::table> table = parse_toml("value = " + value, what);
    if (!table) return table.error();
    if (const Status status = assign(name, *table->get("value"), what, what, resolved); !status) return status.error();
  }
  for (const RecipeField& field : stored_fields(resolved.recipe)) {
    if (!values.contains(field.name)) return bad(what, fmt::format("the field {} is missing.", field.name));
  }
  return resolved.recipe;
}

}  // namespace schemamem
