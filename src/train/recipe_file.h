#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "train/recipe.h"

namespace schemamem {

/// A recipe of configs/, compiled in.
struct BuiltinRecipe {
  std::string_view name, toml;
};
std::span<const BuiltinRecipe> builtin_recipes();
std::vector<std::string> builtin_recipe_names();

/// A recipe and where each of its values was said: "configs/fast.toml", a file's path, "--set", or "default".
struct ResolvedRecipe {
  std::string name;
  Recipe recipe;
  std::map<std::string, std::string> origin;
};

/// `name` is that of a recipe of configs/, or a path that ends in ".toml". A file may say `extends = "fast"` and then
/// only what differs. `overrides` are of the form "optimizer.clip=0.5" and win. Unknown names, wrong types and values
/// out of range are refused.
Result<ResolvedRecipe> resolve_recipe(std::string_view name, std::span<const std::string> overrides = {});

/// A recipe with `overrides`.
Result<ResolvedRecipe> override_recipe(ResolvedRecipe recipe, std::span<const std::string> overrides);

/// A recipe from the text of a file called `file`.
Result<ResolvedRecipe> parse_recipe(std::string_view toml, const std::string& name, const std::string& file,
                                    std::span<const std::string> overrides = {});

/// `values` as they are stored with a run: name and TOML value. Every field must be there, and nothing else.
Result<Recipe> restore_recipe(const std::map<std::string, std::string>& values, const std::string& what);

}  // namespace schemamem
