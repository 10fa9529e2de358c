#include "models/model_file.h"

#include "base/result.h"
#include "models/registry.h"

namespace schemamem {

std::map<std::string, std::string> model_file_metadata(const ModelSpec& spec,
                                                       const std::map<std::string, std::string>& notes) {
  std::map<std::string, std::string> metadata = to_metadata(spec);
  metadata.emplace("format", kModelFormat);
  metadata.emplace("version", std::to_string(kModelVersion));
  for (const auto& [key, text] : notes) {
    const bool free = metadata.emplace(key, text).second;
    require(free, "model_file_metadata: a note has the name of a key of the format: " + key);
  }
  return metadata;
}

}  // namespace schemamem
