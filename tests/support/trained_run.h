#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "models/registry.h"
#include "record/tensor_files.h"
#include "stream/layout_file.h"
#include "task/setting.h"
#include "tensors/safetensors.h"

namespace schemamem::test {

/// What the weights of a test run are.
struct TrainedRun {
  std::string model = "schemamem";
  Setting setting{2, 2};
  std::uint64_t seed = 42;
  std::string recipe = "fast";

  std::map<std::string, std::string> metadata() const {
    return {{"model", model},   {"setting", setting.name()}, {"seed", std::to_string(seed)},
            {"recipe", recipe}, {"hash", "1a2b3c4d"},        {"step", "10"}};
  }
};

/// Writes weights as a run keeps them; drawn, not trained.
inline void write_weights(const std::filesystem::path& path, const TrainedRun& run,
                          const std::map<std::string, std::string>& metadata) {
  const auto model = make_model<float>(run.model, run.setting.input_width(), run.setting.output_width()).value();
  std::vector<float> weights(model->parameters().size());
  model->initialise("ours", run.seed, {weights.data(), {weights.size()}});
  std::filesystem::create_directories(path.parent_path());
  require(static_cast<bool>(save_tensors(path, tensors_of<float>(model->parameters(), weights), metadata)),
          "write_weights: the folder can be written");
}

/// The manifest of a run that has not come far.
inline void write_manifest(const std::filesystem::path& folder, const TrainedRun& run) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "run.json") << fmt::format(
      R"({{"model": "{}", "setting": "{}", "seed": {}, "recipe": "{}", "hash": "1a2b3c4d"}})", run.model,
      run.setting.name(), run.seed, run.recipe);
}

/// A finished run, as far as evaluation looks.
inline void write_run(const std::filesystem::path& folder, const TrainedRun& run = {}) {
  write_manifest(folder, run);
  write_weights(folder / "model.safetensors", run, run.metadata());
}

}  // namespace schemamem::test
