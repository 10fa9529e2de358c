#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>

namespace schemamem {

/// Which model, before any weights: its name, a number for each of its sizes, and the options that are not at their
/// default. What is written into files, so that a model can be built again from one.
struct ModelSpec {
  std::string name;  // one of model_names()
  std::map<std::string, std::size_t, std::less<>> sizes;
  std::map<std::string, std::string, std::less<>> options{};

  friend bool operator==(const ModelSpec&, const ModelSpec&) = default;
};

}  // namespace schemamem
