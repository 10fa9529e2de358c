#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/task_options.h"
#include "models/registry.h"
#include "task/task.h"

namespace schemamem {

/// --model, --option, --task and --setting of the commands that build a model.
struct ModelOptions {
  Text model, task, setting;
  std::vector<std::string> options;  // "slots=200"

  void add_to(CLI::App& command);
  /// The model, known to exist, and what is set of it. Required.
  Result<ModelChoice> read_model() const;
  /// The task at its setting: address-value at A3V3 unless given; of another task, its example.
  Result<std::shared_ptr<const Task>> read_task() const;
  /// The model at its published sizes but for those given, for the task.
  Result<ModelSpec> read_spec() const;
};

/// What --recipe takes: the recipes of the program, or a file.
std::string recipe_help();

}  // namespace schemamem
