// Lines of any text as values of --set.
#include <string>
#include <vector>

#include "support.h"
#include "train/recipe_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace schemamem;
  static const ResolvedRecipe fast = resolve_recipe("fast").value();
  std::vector<std::string> overrides(1);
  for (const char c : fuzz::text_of(data, size)) {
    if (c == '\n') {
      overrides.emplace_back();
    } else {
      overrides.back() += c;
    }
  }
  const auto recipe = override_recipe(fast, overrides);
  if (!fuzz::accepted(recipe, {ErrorKind::kUsage, ErrorKind::kBadData})) return 0;
  for (const RecipeField& field : describe(recipe->recipe)) fuzz::must(recipe->origin.contains(field.name));
  return 0;
}
