#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/task_options.h"
#include "models/registry.h"
#include "task/setting.h"

namespace schemamem {

/// --model and --setting of the commands that build a model.
struct ModelOptions {
  Text model, setting;

  void add_to(CLI::App& command);
  /// The model's name, known to exist. Required.
  Result<std::string> read_model() const;
  /// The setting, A3V3 unless given.
  Result<Setting> read_setting() const;

  std::vector<std::string> sizes;  // "slots=200"
  /// --size, for the commands that build a model of any sizes.
  void add_sizes_to(CLI::App& command);
  /// The model at its published sizes but for those given.
  Result<ModelSpec> read_spec() const;
};

}  // namespace schemamem
