// Any text as a recipe.
#include "support.h"
#include "train/recipe_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace schemamem;
  const auto recipe = parse_recipe(fuzz::text_of(data, size), "fuzz", "fuzz.toml");
  if (!fuzz::accepted(recipe, {ErrorKind::kUsage, ErrorKind::kBadData, ErrorKind::kMissingInput})) return 0;
  std::map<std::string, std::string> values;
  for (const RecipeField& field : stored_fields(recipe->recipe)) values[field.name] = field.value;
  const auto again = restore_recipe(values, "again");
  fuzz::must(static_cast<bool>(again));
  for (const RecipeField& field : stored_fields(*again)) fuzz::must(values.at(field.name) == field.value);
  return 0;
}
