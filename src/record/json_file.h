#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/result.h"

namespace schemamem {

/// The JSON object that a small file holds (a manifest, a result), keys in the order of the file. Anything else in it,
/// or more than a megabyte, is bad data.
Result<nlohmann::ordered_json> read_json_object(const std::filesystem::path& path);

}  // namespace schemamem
