#include "task/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/suggest.h"
#include "base/text.h"
#include "task/address_value.h"
#include "task/mqar.h"

namespace schemamem {
namespace {

using Made = Result<std::shared_ptr<const Task>>;

Made address_value(std::string_view setting) {
  const Result<Setting> parsed = parse_setting(setting);
  if (!parsed) return parsed.error();
  return std::shared_ptr<const Task>(std::make_shared<AddressValueTask>(*parsed));
}

Made mqar(std::string_view setting) {
  const Result<MqarSetting> parsed = parse_mqar_setting(setting);
  if (!parsed) return parsed.error();
  return std::shared_ptr<const Task>(std::make_shared<MqarTask>(*parsed));
}

struct Row {
  TaskEntry entry;
  Made (*make)(std::string_view setting);
};
constexpr std::array kTasks{
    Row{{AddressValueTask::kName, "A3V3", "the paper's: write values to addresses, ask for them later"}, address_value},
    Row{{MqarTask::kName, "V8192L64P8", "multi-query associative recall: pairs, then questions for their values"},
        mqar},
};

}  // namespace

std::vector<TaskEntry> task_entries() {
  std::vector<TaskEntry> entries;
  for (const Row& row : kTasks) entries.push_back(row.entry);
  return entries;
}

Result<std::shared_ptr<const Task>> make_task(std::string_view name, std::string_view setting) {
  std::vector<std::string> names;
  for (const Row& row : kTasks) {
    if (row.entry.name == name) return row.make(setting);
    names.emplace_back(row.entry.name);
  }
  return Error(ErrorKind::kUsage, fmt::format("Unknown task {}: expected one of {}.{}", quote(name),
                                              fmt::join(names, ", "), did_you_mean(name, names)));
}

}  // namespace schemamem
