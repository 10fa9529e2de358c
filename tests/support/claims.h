#pragma once

#include <filesystem>
#include <fstream>

#include "system/claim_watch.h"

namespace schemamem::test {

/// A claim as a process of another host would have left it.
inline ClaimText claim_of_another_host(std::chrono::milliseconds beat = std::chrono::milliseconds(20)) {
  ClaimText text{.owner = this_process(), .since = "2026-01-31T12:00:00Z", .taken = 7, .beat = beat};
  text.owner.host = "elsewhere";
  return text;
}

inline void put_claim(const std::filesystem::path& folder, std::uint32_t number, const std::string& text) {
  std::ofstream(folder / claim_name(number), std::ios::trunc) << text;
}

}  // namespace schemamem::test
