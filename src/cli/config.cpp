#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/model_options.h"
#include "cli/task_options.h"
#include "cli/train_commands.h"
#include "train/recipe_file.h"

namespace schemamem {
namespace {

struct ExplainOptions {
  Text recipe;
  std::vector<std::string> overrides;
};

/// A value of a recipe as JSON: a number, a truth value, or a text.
nlohmann::ordered_json value_json(const std::string& text) {
  const Result<JsonField> read = parse_json(text, "the value");
  if (!read) return text;
  const nlohmann::ordered_json& json = read->raw();
  return json.is_null() || json.is_object() ? nlohmann::ordered_json(text) : json;
}

Status explain(const ExplainOptions& options, Console& console) {
  const auto resolved = resolve_recipe(options.recipe.value_or("fast"), options.overrides);
  if (!resolved) return resolved.error();
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  std::string text =
      fmt::format("{} (recipes: {})\n", console.paint.bold(resolved->name), fmt::join(builtin_recipe_names(), ", "));
  std::string table;
  for (const RecipeField& field : describe(resolved->recipe)) {
    const std::string& origin = resolved->origin.at(field.name);
    json[field.name] = {
        {"value", value_json(field.value)}, {"origin", origin}, {"allowed", field.allowed}, {"meaning", field.doc}};
    if (const std::string group = field.name.substr(0, field.name.find('.')); group != table) {
      table = group;
      text += fmt::format("\n{}\n", console.paint.bold("[" + table + "]"));
    }
    const std::string left = fmt::format("{} = {}", field.name.substr(table.size() + 1), field.value);
    text += fmt::format("  {:<34} {}\n", left, field.doc);
    text += console.paint.dim(fmt::format("  {:<34} {}; {}", "", field.allowed, origin)) + "\n";
  }
  return console.print(console.json ? json.dump() + "\n" : text);
}

}  // namespace

void register_config(CLI::App& program, Commands& commands) {
  CLI::App& config = commands.add(program, "config", "Recipes: how a model is trained.",
                                  "schemamem config explain\n"
                                  "schemamem config explain --recipe paper");
  const auto options = std::make_shared<ExplainOptions>();
  CLI::App& command = commands.add(config, "explain", "Every field of a recipe: value, meaning, range and origin.",
                                   "schemamem config explain --recipe steady\n"
                                   "schemamem config explain --recipe fast --set optimizer.clip=0.5 --json");
  command.add_option("--recipe", options->recipe, recipe_help())->type_name("NAME");
  command.add_option("--set", options->overrides, "Override a field of the recipe; may be repeated")
      ->type_name("FIELD=VALUE")
      ->allow_extra_args(false);
  commands.on(command, [options](Console& console) { return explain(*options, console); });
}

}  // namespace schemamem
