#include "cli/model_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/suggest.h"
#include "base/text.h"
#include "models/registry.h"

namespace schemamem {

void ModelOptions::add_to(CLI::App& command) {
  command.add_option("--model", model, fmt::format("{}", fmt::join(model_names(), ", ")))->type_name("NAME");
  command.add_option("--setting", setting, "Address and value bits, 2 to 16 each (default A3V3)")->type_name("AaVv");
}

Result<std::string> ModelOptions::read_model() const {
  const std::vector<std::string> names = model_names();
  if (!model) {
    return Error(ErrorKind::kUsage, fmt::format("--model is missing. Add one of {}, such as --model {}.",
                                                fmt::join(names, ", "), names[0]));
  }
  if (std::find(names.begin(), names.end(), *model) != names.end()) return *model;
  return Error(ErrorKind::kUsage, fmt::format("Unknown model {}: expected one of {}.{}", quote(*model),
                                              fmt::join(names, ", "), did_you_mean(*model, names)));
}

Result<Setting> ModelOptions::read_setting() const { return parse_setting(setting ? *setting : "A3V3"); }

}  // namespace schemamem
