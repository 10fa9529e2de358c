#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

#include "base/result.h"

namespace schemamem {

/// Where syncs cost nothing, for tests that make hundreds of files and do not care about the disk.
inline std::filesystem::path memory_folder() {
  std::error_code absent;
  return std::filesystem::is_directory("/dev/shm", absent) ? std::filesystem::path("/dev/shm")
                                                           : std::filesystem::temp_directory_path();
}

/// A folder of one test's own, removed with everything in it at the end.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::filesystem::path& below = std::filesystem::temp_directory_path()) {
    std::string pattern = (below / "schemamem-test-XXXXXX").string();
    require(::mkdtemp(pattern.data()) != nullptr, "TemporaryFolder: mkdtemp failed");
    path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace schemamem
