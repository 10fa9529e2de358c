#pragma once

#include <string_view>

namespace schemamem {

/// src/cli/assets/explorer.html, compiled into the program (cmake/Embed.cmake), with {{payload}} where the models go.
std::string_view explorer_template();

}  // namespace schemamem
