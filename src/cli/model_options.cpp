#include "cli/model_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "base/text.h"
#include "task/registry.h"
#include "train/recipe_file.h"

namespace schemamem {

void ModelOptions::add_to(CLI::App& command) {
  command
      .add_option(
          "--model", model,
          fmt::format("{}; sizes may follow, as in {}:slots=64", fmt::join(model_names(), ", "), model_names().front()))
      ->type_name("NAME");
  command
      .add_option(
          "--option,--size", options,
          "A size or option of the model other than the published one, such as slots=200; several with commas, or "
          "repeated (`schemamem inspect` lists them)")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  std::vector<std::string_view> names;
  for (const TaskEntry& entry : task_entries()) names.push_back(entry.name);
  command.add_option("--task", task, fmt::format("{} ({})", fmt::join(names, ", "), names.front()))->type_name("NAME");
  command
      .add_option("--setting", setting,
                  "Which of the task: address and value bits, 2 to 16 each (A3V3); of mqar vocabulary, length, pairs "
                  "(V8192L64P8)")
      ->type_name("SETTING");
}

Result<ModelChoice> ModelOptions::read_model() const {
  const std::vector<std::string> names = model_names();
  if (!model) {
    return Error(ErrorKind::kUsage, fmt::format("--model is missing. Add one of {}, such as --model {}.",
                                                fmt::join(names, ", "), names[0]));
  }
  Result<ModelChoice> choice = parse_model_choice(*model);
  if (!choice) return choice.error();
  std::vector<std::string> each;
  for (const std::string& text : options) {
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');) each.push_back(part);
    if (text.empty() || text.back() == ',') each.emplace_back();
  }
  for (const std::string& text : each) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
      return Error(ErrorKind::kUsage,
                   fmt::format("--option {}: expected a name and a value, such as --option layers=2.", quote(text)));
    }
    choice.value().set[text.substr(0, equals)] = text.substr(equals + 1);  // resolve_model knows which there are
  }
  return choice;
}

Result<std::shared_ptr<const Task>> ModelOptions::read_task() const {
  const std::vector<TaskEntry> entries = task_entries();
  const std::string name = task.value_or(std::string(entries.front().name));
  const auto entry = std::find_if(entries.begin(), entries.end(), [&](const TaskEntry& e) { return e.name == name; });
  const std::string_view example = entry != entries.end() ? entry->example : std::string_view();
  return make_task(name, setting ? std::string_view(*setting) : example);
}

Result<ModelSpec> ModelOptions::read_spec() const {
  const auto choice = read_model();
  if (!choice) return choice.error();
  const auto wanted = read_task();
  if (!wanted) return wanted.error();
  const TaskShape shape = (*wanted)->shape();
  return resolve_model(*choice, {.inputs = shape.inputs, .outputs = shape.outputs, .symbols = shape.symbols});
}

std::string recipe_help() {
  return fmt::format("{} or the path of a .toml file (fast)", fmt::join(builtin_recipe_names(), ", "));
}

}  // namespace schemamem
