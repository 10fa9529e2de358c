#include "sweep/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/name.h"
#include "base/suggest.h"
#include "base/text.h"
#include "system/files.h"
#include "task/address_value.h"
#include "train/toml_text.h"

namespace schemamem {
namespace {

constexpr std::string_view kFormat = "schemamem sweep";
constexpr std::int64_t kVersion = 1;
constexpr std::uint64_t kLargestPlan = 1 << 20;

/// Lists multiply: a plan of a page may ask for more runs than fit into memory.
constexpr double kMostCells = 100'000;

double cell_count(const SweepPlan& plan) {
  const auto of = [](const auto& list) { return static_cast<double>(list.size()); };
  return of(plan.models) * of(plan.tasks) * of(plan.seeds) * of(plan.recipes);
}

Error bad(const std::string& file, const std::string& message) {
  return {ErrorKind::kBadData, fmt::format("{}: {}", file, message)};
}

/// A list of words or numbers that stands in the plan under `key`.
template <class T>
Result<std::vector<T>> list_of(const toml::table& table, std::string_view key, const std::string& file) {
  const toml::array* const array = table[key].as_array();
  if (array == nullptr || array->empty()) return bad(file, fmt::format("{} must be a list that is not empty.", key));
  std::vector<T> values;
  for (const toml::node& node : *array) {
    const auto value = node.value_exact<T>();
    if (!value) return bad(file, fmt::format("{} holds something of the wrong type.", key));
    values.push_back(*value);
  }
  return values;
}

/// The fields below a table, as name and TOML text.
void flatten(const toml::table& table, const std::string& prefix, std::map<std::string, std::string>& values) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    if (const toml::table* const inner = node.as_table()) {
      flatten(*inner, name + ".", values);
    } else {
      values[name] = toml_text(node);
    }
  }
}

Result<SweepRecipe> read_recipe(const toml::table& table, const std::string& file) {
  SweepRecipe recipe;
  const auto name = table["name"].value_exact<std::string>(), source = table["source"].value_exact<std::string>();
  const toml::table* const fields = table["values"].as_table();
  if (!name || !source || fields == nullptr) return bad(file, "a recipe needs name, source and values.");
  // The name becomes a part of a folder's name.
  if (const Status named = check_name(*name, file + ": name of a recipe"); !named) return named.error();
  recipe.source = *source;
  recipe.resolved.name = *name;
  std::map<std::string, std::string> values;
  flatten(*fields, "", values);
  const Result<Recipe> restored = restore_recipe(values, fmt::format("{}: recipe {}", file, quote(*name)));
  if (!restored) return restored.error();
  recipe.resolved.recipe = *restored;
  return recipe;
}

/// A string of JSON is one of TOML, too.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::string sweep_toml(const SweepPlan& plan) {
  std::vector<std::string> models, settings;
  for (const ModelChoice& model : plan.models) models.push_back(quoted(model.text()));
  for (const auto& task : plan.tasks) settings.push_back(quoted(task->setting()));
  // Plans that name no task are of the first.
  const std::string_view task = plan.tasks.front()->name();
  const std::string task_line = task == AddressValueTask::kName ? "" : fmt::format("task = \"{}\"\n", task);
  std::string text = fmt::format(
      "# Every model x setting x seed x recipe is one run. `schemamem sweep run` on this folder finishes what is "
      "missing;\n"
      "# a line that is changed or added here changes what that is, and no finished run.\n"
      "format = \"{}\"\nversion = {}\nmodels = [{}]\n{}settings = [{}]\nseeds = [{}]\n",
      kFormat, kVersion, fmt::join(models, ", "), task_line, fmt::join(settings, ", "), fmt::join(plan.seeds, ", "));
  for (const SweepRecipe& recipe : plan.recipes) {
    text += fmt::format("\n[[recipes]]\nname = {}\nsource = {}\n\n[recipes.values]\n", quoted(recipe.resolved.name),
                        quoted(recipe.source));
    for (const RecipeField& field : stored_fields(recipe.resolved.recipe))
      text += fmt::format("{} = {}\n", field.name, field.value);
  }
  return text;
}

Result<SweepPlan> parse_sweep(std::string_view text, const std::string& file) {
  const Result<toml::table> parsed = parse_toml(text, file);
  if (!parsed) return parsed.error();
  const toml::table& table = *parsed;
  const std::vector<std::string> known{"format", "version", "models", "task", "settings", "seeds", "recipes"};
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    if (std::find(known.begin(), known.end(), name) == known.end())
      return bad(file, fmt::format("unknown key {}.{}", quote(name), did_you_mean(name, known)));
  }
  if (table["format"].value_or(std::string_view()) != kFormat)
    return bad(file, fmt::format("expected format = \"{}\"; this is no plan of a sweep.", kFormat));
  if (const std::int64_t version = table["version"].value_or(std::int64_t{0}); version != kVersion)
    return bad(file, fmt::format("version {} is not known here, expected {}; use the program that wrote it.", version,
                                 kVersion));
  SweepPlan plan;
  const auto models = list_of<std::string>(table, "models", file);
  if (!models) return models.error();
  const auto known_models = parse_models(fmt::format("{}", fmt::join(*models, ",")));
  if (!known_models) return bad(file, known_models.error().message());
  plan.models = *known_models;
  const auto settings = list_of<std::string>(table, "settings", file);
  if (!settings) return settings.error();
  const auto tasks =
      parse_tasks(table["task"].value_or(AddressValueTask::kName), fmt::format("{}", fmt::join(*settings, ",")));
  if (!tasks) return bad(file, tasks.error().message());
  plan.tasks = *tasks;
  const auto seeds = list_of<std::int64_t>(table, "seeds", file);
  if (!seeds) return seeds.error();
  for (const std::int64_t seed : *seeds) {
    if (seed < 0) return bad(file, fmt::format("a seed must not be negative, found {}.", seed));
    plan.seeds.push_back(static_cast<std::uint64_t>(seed));
  }
  const toml::array* const recipes = table["recipes"].as_array();
  if (recipes == nullptr || recipes->empty()) return bad(file, "there is no [[recipes]].");
  for (const toml::node& node : *recipes) {
    const toml::table* const one = node.as_table();
    if (one == nullptr) return bad(file, "recipes must be written as [[recipes]].");
    Result<SweepRecipe> recipe = read_recipe(*one, file);
    if (!recipe) return recipe.error();
    plan.recipes.push_back(std::move(recipe).value());
  }
  if (cell_count(plan) > kMostCells)
    return bad(file, fmt::format("it plans {} runs; at most {} fit into one plan.", cell_count(plan), kMostCells));
  return plan;
}

Result<SweepPlan> read_sweep(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kSweepFile;
  if (is_absent(path)) {
    return Error(ErrorKind::kMissingInput,
                 fmt::format("{} holds no sweep: it has no {}. `schemamem sweep plan --out {}` makes one.",
                             folder.string(), kSweepFile, folder.string()));
  }
  const Result<std::string> text = read_text_file(path, kLargestPlan);
  if (!text) return text.error();
  return parse_sweep(*text, path.string());
}

Status write_sweep(const std::filesystem::path& folder, const SweepPlan& plan) {
  if (cell_count(plan) > kMostCells) {
    return Error(ErrorKind::kUsage, fmt::format("{} runs are too many for one plan: at most {} fit. Make several.",
                                                cell_count(plan), kMostCells));
  }
  const std::string text = sweep_toml(plan);
  const std::filesystem::path path = folder / kSweepFile;
  if (!is_absent(path)) {
    const Result<SweepPlan> found = read_sweep(folder);
    if (found && sweep_toml(*found) == text) return Done{};
    return Error(ErrorKind::kCannotCreate,
                 fmt::format("{} holds another plan, and a plan is never overwritten. Choose another folder, or change "
                             "the file by hand: runs that are finished stay what they are.",
                             path.string()));
  }
  if (const Status made = make_directories(folder); !made) return made;
  return write_file_atomically(path, text);
}

std::vector<SweepCell> sweep_cells(const SweepPlan& plan) {
  std::vector<SweepCell> cells;
  std::set<std::string> names;
  for (const SweepRecipe& recipe : plan.recipes) {
    for (const ModelChoice& model : plan.models) {
      for (const auto& task : plan.tasks) {
        for (const std::uint64_t seed : plan.seeds) {
          SweepCell cell{.request = {.model = model, .task = task, .seed = seed, .recipe = recipe.resolved},
                         .source = recipe.source,
                         .name = {}};
          cell.name = run_name(cell.request);
          if (names.insert(cell.name).second) cells.push_back(std::move(cell));
        }
      }
    }
  }
  return cells;
}

Result<std::vector<std::string>> train_arguments(const SweepCell& cell, const std::filesystem::path& folder,
                                                 int threads) {
  const RunRequest& request = cell.request;
  const Result<ResolvedRecipe> today = resolve_recipe(cell.source);
  if (!today) return today.error().with(fmt::format("the recipe of {}", cell.name));
  std::vector<std::string> arguments{"train",
                                     "--model",
                                     request.model.text(),
                                     "--setting",
                                     request.task->setting(),
                                     "--seed",
                                     std::to_string(request.seed),
                                     "--recipe",
                                     cell.source};
  if (request.task->name() != AddressValueTask::kName)
    arguments.insert(arguments.end(), {"--task", std::string(request.task->name())});
  const std::vector<RecipeField> said = describe(today->recipe), planned = describe(request.recipe.recipe);
  for (std::size_t i = 0; i < planned.size(); ++i) {
    if (said[i].value == planned[i].value) continue;
    arguments.push_back("--set");
    arguments.push_back(planned[i].name + "=" + planned[i].value);
  }
  for (std::string& more :
       std::vector<std::string>{"--threads", std::to_string(threads), "--out", (folder / cell.name).string()})
    arguments.push_back(std::move(more));
  return arguments;
}

}  // namespace schemamem
