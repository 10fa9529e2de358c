#include "system/own_place.h"

#include <dlfcn.h>

#include <string_view>

#include "system/process.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> resolved(const fs::path& path) {
  std::error_code absent;
  fs::path file = fs::canonical(path, absent);
  if (absent) return std::nullopt;
  return file;
}

/// Something of this file's own to ask the loader about.
const char kHere = 0;

}  // namespace

std::optional<fs::path> program_file() { return resolved(kThisProgram); }

std::optional<fs::path> library_file() {
  Dl_info found{};
  if (::dladdr(&kHere, &found) == 0 || found.dli_fname == nullptr) return std::nullopt;
  // A program is called as it was started, perhaps by a bare word that the shell looked up: no path of a file.
  const std::string_view name = found.dli_fname;
  return name.find('/') == std::string_view::npos ? std::nullopt : resolved(name);
}

}  // namespace schemamem
