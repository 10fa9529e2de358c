#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace schemamem {

/// Runs a copy of `<name>.gp` beside one of `<name>.csv`, and puts the `<name>.<format>` that it draws into their
/// folder: the same bytes from the same script and data. If anything fails an earlier figure stays. The script can
/// start no process.
Status draw_figure(const std::filesystem::path& gnuplot, const std::filesystem::path& folder, const std::string& name,
                   const std::string& format);

}  // namespace schemamem
