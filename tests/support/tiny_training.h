#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/sha256.h"
#include "models/registry.h"
#include "task/address_value.h"
#include "task/registry.h"
#include "train/recipe_file.h"
#include "train/run.h"
#include "train/run_record.h"
#include "train/trainer.h"

namespace schemamem::test {

inline constexpr Setting kTinySetting{2, 2};

/// Which task a tiny training is of.
struct TinyTask {
  std::string name = "address-value";
  std::string setting = kTinySetting.name();

  std::shared_ptr<const Task> make() const { return make_task(name, setting).value(); }
};
/// Associative recall over 16 symbols.
inline const TinyTask kTinyRecall{"mqar", "V16L16P2"};

/// Any model of the registry, small: a SchemaMem that trains at thousands of steps a second, the baselines with one
/// layer.
inline ModelChoice tiny_choice(const std::string& name = "schemamem") {
  if (name != "schemamem") return {.name = name, .set = {{"layers", "1"}}};
  return {.name = name,
          .set = {{"layers", "1"},
                  {"width", "8"},
                  {"slots", "4"},
                  {"heads", "2"},
                  {"head_dim", "4"},
                  {"hidden", "4"},
                  {"commit_every", "48"}}};
}
inline std::unique_ptr<SequenceModel<float>> tiny_model(const std::string& name = "schemamem",
                                                        const TinyTask& task = {}) {
  return make_model(RunRequest{.model = tiny_choice(name), .task = task.make(), .recipe = {}}).value();
}

/// `fast` with a small batch, short checks, and thresholds that let any model through every stage but the last of each
/// phase, whose target no recipe can change.
inline ResolvedRecipe tiny_recipe(std::vector<std::string> overrides = {}) {
  std::vector<std::string> all{"batch.episodes=5",
                               "validation.every=6",
                               "validation.episodes=4",
                               "validation.passes=1",
                               "transactions.history_thresholds=[0,0,0]",
                               "transactions.thresholds=[0,0]",
                               "maintenance.thresholds=[0,0]",
                               "transactions.limit=12",
                               "maintenance.limit=12",
                               "levels.limit=12"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  return resolve_recipe("fast", all).value();
}

inline RunRequest tiny_request(std::vector<std::string> overrides = {}, const std::string& model = "schemamem",
                               const TinyTask& task = {}) {
  return {.model = tiny_choice(model), .task = task.make(), .seed = 7, .recipe = tiny_recipe(std::move(overrides))};
}

inline TrainSetup tiny_setup(std::vector<std::string> overrides = {}, const TinyTask& task = {}) {
  return {.recipe = tiny_recipe(std::move(overrides)).recipe, .task = task.make(), .seed = 7};
}

/// A SHA-256 of everything that training changes.
inline std::string fingerprint(const Trainer& trainer) {
  std::string text = sha256_hex(encode_tensors(trainer.model_tensors()).span());
  text += sha256_hex(encode_tensors(trainer.optimizer_tensors()).span());
  const Position& at = trainer.position();
  return text + std::to_string(at.step) + "/" + std::to_string(at.stage) + "/" + std::to_string(at.stage_step) + "/" +
         std::to_string(at.passes) + "/" + std::to_string(trainer.optimizer_steps());
}

/// The first stage of every phase, in order.
inline std::vector<std::size_t> phase_starts(const Curriculum& curriculum) {
  std::vector<std::size_t> starts;
  const auto& stages = curriculum.stages();
  for (std::size_t i = 0; i < stages.size(); ++i)
    if (i == 0 || stages[i].phase != stages[i - 1].phase) starts.push_back(i);
  return starts;
}

/// Steps and the checks between them until `steps` are done or the run ends.
inline void advance(Trainer& trainer, std::int64_t steps) {
  const StopFlag never{false};
  while (!trainer.ended() && (trainer.position().step < steps || trainer.check_due())) {
    if (trainer.check_due()) {
      trainer.check(never).value();
    } else {
      trainer.step(never).value();
    }
  }
}

}  // namespace schemamem::test
