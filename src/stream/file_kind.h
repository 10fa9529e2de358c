#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tensors/safetensors.h"

namespace schemamem {

/// What the metadata of our files begins with: "format" and "version".
struct FileKind {
  std::string_view format;
  int version;
};

std::map<std::string, std::string> kind_metadata(const FileKind& kind);
/// Refuses, as bad data, a file of another format or version.
Status check_kind(const TensorFile& file, const FileKind& kind);

}  // namespace schemamem
