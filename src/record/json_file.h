#pragma once

#include <filesystem>

#include "base/json.h"
#include "system/files.h"

namespace schemamem {

/// The JSON object that a small file holds (a manifest, a result), keys in the order of the file. Anything else in it,
/// or more than a megabyte, is bad data.
Result<JsonField> read_json_object(const std::filesystem::path& path, FileSystem& files = posix_files());

}  // namespace schemamem
