#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/result.h"

namespace schemamem::test {

/// A JSON file below tests/data.
inline nlohmann::json read_json_data(const std::string& name) {
  const auto path = std::filesystem::path(SCHEMAMEM_TEST_DATA) / name;
  std::ifstream file(path);
  require(file.good(), "test data " + path.string() + " cannot be read");
  return nlohmann::json::parse(file);
}

}  // namespace schemamem::test
