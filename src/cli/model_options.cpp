#include "cli/model_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/parse.h"
#include "base/suggest.h"
#include "base/text.h"

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

void ModelOptions::add_sizes_to(CLI::App& command) {
  command.add_option("--size", sizes, "A size other than the published one, such as slots=200; may be repeated")
      ->type_name("NAME=N")
      ->allow_extra_args(false);
}

Result<ModelSpec> ModelOptions::read_spec() const {
  const auto name = read_model();
  if (!name) return name.error();
  const auto bits = read_setting();
  if (!bits) return bits.error();
  const auto published = published_spec(*name, bits->input_width(), bits->output_width());
  if (!published) return published.error();
  ModelSpec spec = *published;
  for (const std::string& text : sizes) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
      return Error(ErrorKind::kUsage,
                   fmt::format("--size {}: expected a name and a number, such as --size layers=2.", quote(text)));
    }
    const auto number = parse_integer(text.substr(equals + 1), "--size " + printable(text), 1,
                                      std::numeric_limits<std::int64_t>::max());
    if (!number) return number.error();
    spec.sizes[text.substr(0, equals)] = static_cast<std::size_t>(*number);  // make_model knows which there are
  }
  return spec;
}

}  // namespace schemamem
