#pragma once

#include <string_view>

namespace schemamem {

/// Where this library came from; every record and `schemamem --version` carry it.
struct BuildInfo {
  std::string_view version;     // "0.1.0"
  std::string_view commit;      // 40 hex digits, with "-dirty" when tracked files differed; "unknown" outside git
  std::string_view compiler;    // "GNU 12.2.0"
  std::string_view build_type;  // "Release"
};

BuildInfo build_info();

}  // namespace schemamem
