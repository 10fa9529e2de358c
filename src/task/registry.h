#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "task/task.h"

namespace schemamem {

/// A task by name.
struct TaskEntry {
  std::string_view name;
  std::string_view example;  // a setting of it
  std::string_view summary;
};
/// Every built-in task, the paper's first.
std::vector<TaskEntry> task_entries();

/// The task `name` at a setting. Unknown names and settings are usage errors with a suggestion.
Result<std::shared_ptr<const Task>> make_task(std::string_view name, std::string_view setting);

}  // namespace schemamem
