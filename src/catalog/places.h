#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace schemamem {

/// Where `make install` puts models: the folder as it was configured, and how to get there from the folders of programs
/// and of libraries, so that an installation can be moved as a whole.
struct InstalledModels {
  std::string_view folder;        // "/usr/local/share/schemamem/models"
  std::string_view from_program;  // "../share/schemamem/models"
  std::string_view from_library;
};
InstalledModels installed_models();

/// The folders in which models are found by name, in this order: those of the environment variable SCHEMAMEM_MODELS,
/// with colons between them; the models of the installed package; `results` below the current folder. They need not
/// exist.
std::vector<std::filesystem::path> model_places();

}  // namespace schemamem
