#include "catalog/find_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>

#include "base/suggest.h"
#include "base/text.h"
#include "record/json_file.h"
#include "record/run_folders.h"
#include "system/files.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWeights = "model.safetensors";
constexpr const char* kSuffix = ".safetensors";

/// Something that has a name in a place: a file of weights, or a run, finished or not.
struct Entry {
  std::string name;
  fs::path path;
};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

bool is_there(const fs::path& path) { return !is_absent(path); }

/// The newest checkpoint of an unfinished run that says it is whole; names sort by step.
std::optional<fs::path> newest_checkpoint(const fs::path& run) {
  const Result<std::vector<std::string>> names = list_directory(run / "checkpoints");
  if (!names) return std::nullopt;
  for (auto name = names->rbegin(); name != names->rend(); ++name) {
    if (is_there(run / "checkpoints" / *name / "complete.json")) return run / "checkpoints" / *name;
  }
  return std::nullopt;
}

/// "a3v3-schemamem-steady-s42", or nothing for a manifest that does not say.
std::string run_label(const fs::path& run) {
  const auto json = read_json_object(run / "run.json");
  if (!json) return {};
  const auto text = [&](const char* key) {
    const auto found = json->find(key);
    return found && found->is_text() ? found->text() : std::string("?");
  };
  const std::uint64_t seed = json->natural("seed");
  if (!json->status()) return {};
  return lower(fmt::format("{}-{}-{}-s{}", text("setting"), text("model"), text("recipe"), seed));
}

std::vector<Entry> entries_in(const fs::path& place) {
  std::vector<Entry> entries;
  const auto add_run = [&](const fs::path& run) {
    if (std::string label = run_label(run); !label.empty()) entries.push_back({std::move(label), run});
  };
  if (is_run(place)) {
    add_run(place);
    return entries;
  }
  const Result<std::vector<std::string>> names = list_directory(place);
  if (!names) return entries;
  for (const std::string& name : *names) {
    const fs::path path = place / name;
    std::error_code unreadable;
    if (name.ends_with(kSuffix) && fs::is_regular_file(path, unreadable)) {
      entries.push_back({lower(path.stem().string()), path});
    } else if (is_run(path)) {
      add_run(path);
    } else if (const auto runs = runs_in(path)) {
      for (const fs::path& run : *runs) add_run(run);
    }
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return entries;
}

/// A few names are listed; of a whole grid, how they are made is more help.
std::string names_in_short(const std::vector<std::string>& names) {
  constexpr std::size_t kListed = 12;
  if (names.size() <= kListed) return fmt::format("There are: {}.", fmt::join(names, ", "));
  return fmt::format("The {} names are setting-model-recipe-seed, from {} to {}.", names.size(), names.front(),
                     names.back());
}

Error not_found(const std::string& name, std::vector<std::string> known, std::span<const fs::path> places) {
  std::vector<std::string> folders;
  for (const fs::path& place : places) folders.push_back(place.string());
  const std::string looked_in = fmt::format("{}", fmt::join(folders, ", "));
  if (known.empty()) {
    return {
        ErrorKind::kMissingInput,
        fmt::format("No model is called {}: there are none in {}. Give the path of a file or a run, or name folders "
                    "of models in SCHEMAMEM_MODELS.",
                    quote(name), looked_in)};
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  return {ErrorKind::kUsage, fmt::format("No model in {} is called {}. {}{}", looked_in, quote(name),
                                         names_in_short(known), did_you_mean(name, known))};
}

}  // namespace

bool is_model_path(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(kSuffix) || is_there(text);
}

std::string unfinished_run(const fs::path& run) {
  const std::optional<fs::path> checkpoint = newest_checkpoint(run);
  if (!checkpoint)
    return fmt::format("the run is not finished and has no checkpoint yet. `schemamem resume {}` continues it.",
                       run.string());
  const std::string name = checkpoint->filename().string();
  const std::size_t digits = name.find_first_of("123456789");
  const std::string step = digits == std::string::npos ? "0" : name.substr(digits);
  return fmt::format(
      "the run is not finished: its newest checkpoint is of step {}. `schemamem resume {}` continues it; {} has its "
      "weights as they stand.",
      step, run.string(), checkpoint->string());
}

Result<fs::path> weights_at(const fs::path& path) {
  if (!is_there(path)) {
    return Error(
        ErrorKind::kMissingInput,
        fmt::format("{}: no such file or folder. Name a .safetensors file or the folder of a run.", path.string()));
  }
  std::error_code unreadable;
  if (!fs::is_directory(path, unreadable)) return path;
  if (is_there(path / kWeights)) return path / kWeights;
  if (is_run(path))
    return Error(ErrorKind::kMissingInput,
                 fmt::format("{} has no {}: {}", path.string(), kWeights, unfinished_run(path)));
  return Error(ErrorKind::kMissingInput,
               fmt::format("{} is no model: it has neither a {} nor a run.json. `schemamem train` makes runs.",
                           path.string(), kWeights));
}

Result<fs::path> find_model(const std::string& name, std::span<const fs::path> places) {
  if (is_model_path(name)) return weights_at(name);
  const std::string wanted = lower(name);
  std::vector<std::string> known;
  for (const fs::path& place : places) {
    std::vector<fs::path> found;
    for (const Entry& entry : entries_in(place)) {
      known.push_back(entry.name);
      if (entry.name == wanted) found.push_back(entry.path);
    }
    if (found.size() == 1) return weights_at(found.front());
    if (found.size() > 1) {
      return Error(ErrorKind::kUsage,
                   fmt::format("{} models in {} are called {}: {} and {}. Give the path of the one you mean.",
                               found.size(), place.string(), quote(name), found[0].string(), found[1].string()));
    }
  }
  return not_found(name, std::move(known), places);
}

std::vector<NamedModel> list_models(std::span<const fs::path> places) {
  std::vector<NamedModel> models;
  for (const fs::path& place : places) {
    for (Entry& entry : entries_in(place)) {
      if (const auto file = weights_at(entry.path)) models.push_back({std::move(entry.name), *file});
    }
  }
  return models;
}

}  // namespace schemamem
