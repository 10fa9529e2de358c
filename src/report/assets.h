#pragma once

#include <string_view>

namespace schemamem {

/// src/report/assets/report.html, compiled into the program (cmake/Embed.cmake), with {{payload}} where the data goes.
std::string_view report_template();

}  // namespace schemamem
