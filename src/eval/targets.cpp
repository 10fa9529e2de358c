#include "eval/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/files.h"
#include "base/suggest.h"
#include "base/text.h"
#include "record/json_file.h"
#include "record/run_folders.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;

/// The newest checkpoint of an unfinished run that says it is whole; names sort by step.
std::optional<fs::path> newest_checkpoint(const fs::path& run) {
  const Result<std::vector<std::string>> names = list_directory(run / "checkpoints");
  if (!names) return std::nullopt;
  for (auto name = names->rbegin(); name != names->rend(); ++name) {
    if (fs::exists(run / "checkpoints" / *name / "complete.json")) return run / "checkpoints" / *name;
  }
  return std::nullopt;
}

std::string unfinished(const fs::path& run) {
  const std::optional<fs::path> checkpoint = newest_checkpoint(run);
  if (!checkpoint)
    return fmt::format("the run is not finished and has no checkpoint yet. `schemamem resume {}` continues it.",
                       run.string());
  const std::string name = checkpoint->filename().string();
  const std::size_t digits = name.find_first_of("123456789");
  const std::string step = digits == std::string::npos ? "0" : name.substr(digits);
  return fmt::format(
      "the run is not finished: its newest checkpoint is of step {}. `schemamem resume {}` continues it; `schemamem "
      "eval "
      "{}` evaluates it as it stands.",
      step, run.string(), checkpoint->string());
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

/// "a3v3-schemamem-steady-s42", or nothing for a manifest that does not say.
std::string run_label(const fs::path& run) {
  const auto json = read_json_object(run / "run.json");
  if (!json) return {};
  const auto text = [&](const char* key) {
    const auto found = json->find(key);
    return found != json->end() && found->is_string() ? found->get<std::string>() : std::string("?");
  };
  const auto seed = json->find("seed");
  if (seed == json->end() || !seed->is_number_unsigned()) return {};
  return lower(fmt::format("{}-{}-{}-s{}", text("setting"), text("model"), text("recipe"), seed->get<std::uint64_t>()));
}

/// A few names are listed; of a whole grid, how they are made is more help.
std::string names_in_short(const std::vector<std::string>& names) {
  constexpr std::size_t kListed = 12;
  if (names.size() <= kListed) return fmt::format("There are: {}.", fmt::join(names, ", "));
  return fmt::format("Its {} names are setting-model-recipe-seed, from {} to {}.", names.size(), names.front(),
                     names.back());
}

}  // namespace

Result<EvaluationTargets> find_targets(const fs::path& path) {
  std::error_code unreadable;
  if (!fs::exists(path, unreadable)) {
    return Error(ErrorKind::kMissingInput,
                 fmt::format("{}: no such file or folder. Name a run, a folder of runs, or a .safetensors file.",
                             path.string()));
  }
  if (!fs::is_directory(path)) return EvaluationTargets{.weights = {path}};
  if (fs::exists(path / "model.safetensors")) return EvaluationTargets{.weights = {path / "model.safetensors"}};
  if (is_run(path))
    return Error(ErrorKind::kMissingInput, path.string() + " has no model.safetensors: " + unfinished(path));
  EvaluationTargets targets;
  const auto runs = runs_in(path);
  if (!runs) return runs.error();
  for (const fs::path& run : *runs) {
    if (fs::exists(run / "model.safetensors")) {
      targets.weights.push_back(run / "model.safetensors");
    } else {
      targets.skipped.push_back({run, unfinished(run)});
    }
  }
  if (!targets.weights.empty()) return targets;
  if (!targets.skipped.empty()) {
    return Error(ErrorKind::kMissingInput,
                 fmt::format("{} has {} runs and none of them is finished. {}: {}", path.string(),
                             targets.skipped.size(), targets.skipped[0].folder.string(), targets.skipped[0].reason));
  }
  return Error(ErrorKind::kMissingInput,
               fmt::format("{} is neither a run nor a folder of runs: no run.json and no model.safetensors was found. "
                           "`schemamem train` makes runs.",
                           path.string()));
}

Result<fs::path> find_run_by_name(const fs::path& results, const std::string& name) {
  std::vector<fs::path> runs;
  const auto add = [&](const fs::path& folder) {
    if (const auto found = runs_in(folder)) runs.insert(runs.end(), found->begin(), found->end());
  };
  add(results);
  if (const Result<std::vector<std::string>> folders = list_directory(results)) {
    for (const std::string& folder : *folders) add(results / folder);
  }
  std::vector<std::string> known;
  std::vector<fs::path> found;
  for (const fs::path& run : runs) {
    const std::string label = run_label(run);
    if (label.empty()) continue;
    known.push_back(label);
    if (label == lower(name)) found.push_back(run);
  }
  if (found.size() == 1) return found.front();
  if (found.size() > 1) {
    return Error(ErrorKind::kUsage,
                 fmt::format("{} runs are called {}: {} and {}. Name the folder of the one you mean.", found.size(),
                             quote(name), found[0].string(), found[1].string()));
  }
  if (known.empty()) {
    return Error(ErrorKind::kMissingInput,
                 fmt::format("There are no runs in {} or its folders, so none is called {}. --results names another "
                             "folder.",
                             results.string(), quote(name)));
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  return Error(ErrorKind::kUsage, fmt::format("No run in {} is called {}. {}{}", results.string(), quote(name),
                                              names_in_short(known), did_you_mean(name, known)));
}

}  // namespace schemamem
