#pragma once

#include <filesystem>
#include <optional>

namespace schemamem {

/// The file of the running program; nothing where the system does not tell.
std::optional<std::filesystem::path> program_file();
/// The file that this code was loaded from: a shared library, or the program that it is linked into.
std::optional<std::filesystem::path> library_file();

}  // namespace schemamem
