#include "catalog/places.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "system/own_place.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVariable = "SCHEMAMEM_MODELS";

void add(std::vector<fs::path>& places, const fs::path& place) {
  if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
}

void add_list(std::vector<fs::path>& places, std::string_view list) {
  while (!list.empty()) {
    const std::string_view one = list.substr(0, list.find(':'));
    if (!one.empty()) add(places, one);
    list.remove_prefix(std::min(list.size(), one.size() + 1));
  }
}

}  // namespace

std::vector<fs::path> model_places() {
  std::vector<fs::path> places;
  if (const char* const folders = std::getenv(kVariable)) add_list(places, folders);
  const InstalledModels installed = installed_models();
  const auto add_beside = [&](const std::optional<fs::path>& file, std::string_view way) {
    if (file) add(places, (file->parent_path() / way).lexically_normal());
  };
  add_beside(library_file(), installed.from_library);
  add_beside(program_file(), installed.from_program);
  add(places, installed.folder);
  add(places, "results");
  return places;
}

}  // namespace schemamem
