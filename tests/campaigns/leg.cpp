#include "campaigns/leg.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/registry.h"
#include "task/address_value.h"
#include "train/recipe_file.h"

namespace schemamem::campaign {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSeed = 5;

template <class T>
T must(Result<T> result) {
  require(static_cast<bool>(result), result ? "" : result.error().message());
  return std::move(result).value();
}

}  // namespace

std::string Leg::name() const { return fmt::format("{} {}", model, phase_name(phase)); }

RunRequest Leg::request() const {
  return {.model = {model},
          .task = std::make_shared<AddressValueTask>(setting),
          .seed = kSeed,
          .recipe = must(resolve_recipe("fast", overrides))};
}

Curriculum Leg::curriculum() const {
  const RunRequest asked = request();
  return Curriculum(asked.recipe.recipe, *asked.task, must(model_entry(model)).traits);
}

std::size_t Leg::first_stage() const {
  const std::vector<Stage> all = curriculum().stages();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Stage& stage) { return stage.phase == phase; });
  require(found != all.end(), "Leg: the curriculum has no such phase");
  return static_cast<std::size_t>(found - all.begin());
}

std::vector<std::string> Leg::train(const fs::path& run, int threads) const {
  std::vector<std::string> words{"train",
                                 "--model",
                                 model,
                                 "--setting",
                                 setting.name(),
                                 "--seed",
                                 std::to_string(kSeed),
                                 "--recipe",
                                 "fast",
                                 "--threads",
                                 std::to_string(threads),
                                 "--out",
                                 run.string()};
  for (const std::string& one : overrides) words.insert(words.end(), {"--set", one});
  return words;
}

void Leg::prepare(const fs::path& run) const {
  fs::create_directories(run / "checkpoints");
  if (first_stage() == 0) return;  // as a run begins
  const auto built = must(make_model(request()));
  must(begin_run_at(first_stage(), *built, request(), run));
}

Phase Leg::reached(const fs::path& run) const {
  std::size_t passed = 0;
  std::ifstream metrics(run / "metrics.jsonl");
  for (std::string line; std::getline(metrics, line);) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (json.is_object() && json.contains("stages")) passed = json["stages"];
  }
  const std::vector<Stage> all = curriculum().stages();
  return all[std::min(first_stage() + passed, all.size() - 1)].phase;
}

std::vector<Leg> tiny_legs(int episodes) {
  const std::vector<std::string> overrides{"batch.episodes=4",
                                           "validation.every=8",
                                           fmt::format("validation.episodes={}", episodes),
                                           "validation.passes=1",
                                           "transactions.history_thresholds=[0,0,0]",
                                           "transactions.thresholds=[0,0]",
                                           "transactions.limit=24",
                                           "maintenance.thresholds=[0,0]",
                                           "maintenance.limit=24",
                                           "maintenance.delays=log-uniform",
                                           "cooldown.steps=30",
                                           "stillness.weights=[0.1,0.1,0.1]"};
  std::vector<Leg> legs;
  for (const Phase phase : {Phase::kHistory, Phase::kTransactions, Phase::kMaintenance, Phase::kCooldown}) {
    for (const std::string& model : model_names()) {
      if (phase != Phase::kHistory || must(model_entry(model)).traits.full_history)
        legs.push_back({.model = model, .overrides = overrides, .phase = phase});
    }
  }
  return legs;
}

std::vector<Leg> real_legs() {
  // Two stages of 50 steps and a third of 200, which ends the run unless the target is met; SchemaMem has three more
  // of 50.
  const std::vector<std::string> overrides{"validation.every=50",
                                           "validation.passes=1",
                                           "validation.episodes=32",
                                           "transactions.history_thresholds=[0,0,0]",
                                           "transactions.thresholds=[0,0]",
                                           "transactions.limit=200",
                                           "maintenance.thresholds=[0,0]",
                                           "maintenance.limit=200",
                                           "cooldown.steps=50"};
  std::vector<Leg> legs;
  for (const std::string& model : model_names()) {
    const Phase first = must(model_entry(model)).traits.full_history ? Phase::kHistory : Phase::kTransactions;
    for (const Phase phase : {first, Phase::kMaintenance})
      legs.push_back({.model = model, .setting = {3, 3}, .overrides = overrides, .phase = phase});
  }
  return legs;
}

std::set<std::string> leftovers(const fs::path& run) {
  std::set<std::string> found;
  if (!fs::exists(run)) return found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(run)) {
    const std::string name = entry.path().filename().string();
    const bool is_checkpoint = entry.is_directory() && name.starts_with("step-");
    if (name.ends_with(".tmp") || (is_checkpoint && !fs::exists(entry.path() / "complete.json")))
      found.insert(fs::relative(entry.path(), run).string());
  }
  return found;
}

}  // namespace schemamem::campaign
