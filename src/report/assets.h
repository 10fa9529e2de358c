#pragma once

#include <string_view>

namespace schemamem {

/// Files that are compiled into the program (cmake/Embed.cmake).
std::string_view claims_json();      // src/report/data/claims.json
std::string_view report_template();  // src/report/assets/report.html, with {{payload}} where the data goes

}  // namespace schemamem
