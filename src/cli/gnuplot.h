#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"

namespace schemamem {

/// The program of this name or path, as the shell would find it.
std::optional<std::filesystem::path> find_program(const std::string& name);

/// Runs `<name>.gp` in its folder, which then has `<name>.<format>`: the same bytes from the same script and data.
Status draw_figure(const std::filesystem::path& gnuplot, const std::filesystem::path& folder, const std::string& name,
                   const std::string& format);

}  // namespace schemamem
