#pragma once

#include <schemamem/model.h>

#include <filesystem>
#include <string>

namespace schemamem {

/// The published model of the recipe `steady` and seed 42, from results/.
inline Model published_model(const std::string& setting, const std::string& model = "schemamem") {
  const std::string begin = model + "-" + setting + "-steady-s42-";
  for (const auto& entry : std::filesystem::directory_iterator(SCHEMAMEM_SOURCE_DIR "/results/steady")) {
    if (entry.path().filename().string().starts_with(begin)) return *Model::load(entry.path().string());
  }
  return *Model::load(begin);  // throws, with the reason
}

}  // namespace schemamem
