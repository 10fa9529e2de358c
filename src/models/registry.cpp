#include "models/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "base/parse.h"
#include "base/suggest.h"
#include "base/text.h"
#include "models/fields.h"
#include "models/gated_delta_net/model.h"
#include "models/mamba3/model.h"
#include "models/schemamem/model.h"

namespace schemamem {
namespace {

constexpr std::string_view kSizePrefix = "size.", kOptionPrefix = "option.";
constexpr std::array<std::string_view, 3> kPortNames{"inputs", "outputs", "input"};

bool of_task(std::string_view field) {
  return std::find(kPortNames.begin(), kPortNames.end(), field) != kPortNames.end();
}

bool is_frame_size(std::string_view field) { return field == "inputs" || field == "outputs" || field == "layers"; }

Error usage(const std::string& message) { return {ErrorKind::kUsage, message}; }

std::string text_of(std::size_t value, const SizeRange&) { return std::to_string(value); }
std::string text_of(bool value, const OptionWords& words) { return std::string(value ? words.yes : words.no); }
std::string text_of(std::size_t value, const OptionNumber& number) {
  return value == 0 ? std::string(number.none) : std::to_string(value);
}

/// Each reads a value if it has the right form and range.
bool read(std::string_view text, const SizeRange& range, std::size_t& value) {
  const auto number = parse_integer(text, "", 0, std::numeric_limits<std::int64_t>::max());
  if (!number || !is_allowed(static_cast<std::size_t>(*number), range)) return false;
  value = static_cast<std::size_t>(*number);
  return true;
}
bool read(std::string_view text, const OptionWords& words, bool& value) {
  if (text != words.no && text != words.yes) return false;
  value = text == words.yes;
  return true;
}
bool read(std::string_view text, const OptionNumber& number, std::size_t& value) {
  value = 0;
  return text == number.none || read(text, SizeRange{.least = number.least, .most = number.most}, value);
}

template <class Config>
std::vector<ModelField> fields_of() {
  std::vector<ModelField> fields;
  const Config published;
  Config::fields(published, [&](std::string_view name, const auto& value, const auto& allowed, std::string_view doc) {
    fields.push_back({.name = std::string(name),
                      .standard = text_of(value, allowed),
                      .allowed = allowed_text(allowed),
                      .doc = std::string(doc),
                      .is_size = std::is_same_v<std::remove_cvref_t<decltype(allowed)>, SizeRange>,
                      .of_task = of_task(name)});
  });
  return fields;
}

/// Sets one field from text.
template <class Config>
Status set_field(std::string_view name, std::string_view text, Config& config) {
  bool known = false, right = false;
  std::string expected;
  std::vector<std::string> names;
  Config::fields(config, [&](std::string_view field, auto& value, const auto& allowed, std::string_view) {
    names.emplace_back(field);
    if (field != name) return;
    known = true;
    right = read(text, allowed, value);
    expected = allowed_text(allowed);
  });
  if (right) return Done{};
  if (known)
    return usage(fmt::format("model {}: {} is {}; expected {}", Config::kName, name, printable(text), expected));
  return usage(fmt::format("model {}: unknown size or option {}; expected one of {}.{}", Config::kName, quote(name),
                           fmt::join(names, ", "), did_you_mean(name, names)));
}

template <class Config>
Result<ModelSpec> checked_spec(const Config& config) {
  try {
    config.check();
  } catch (const ContractViolation& problem) {  // fields that are fine one by one and do not fit together
    return usage(fmt::format("model {}: {}", Config::kName, problem.what()));
  }
  return spec_of(config);
}

template <class Config>
Result<ModelSpec> resolve_as(const std::map<std::string, std::string>& set, const ModelPorts& ports) {
  Config config;
  for (const auto& [name, text] : set) {
    if (of_task(name))
      return usage(fmt::format("model {}: {} is what the task says; leave it out", Config::kName, name));
    if (const Status status = set_field(name, text, config); !status) return status.error();
  }
  config.inputs = ports.inputs;
  config.outputs = ports.outputs;
  config.symbols = ports.symbols;
  return checked_spec(config);
}

/// Every size must be there, but for those that a model had not when its first files were written.
template <class Config>
Result<Config> config_from(const ModelSpec& spec) {
  Config config;
  for (const ModelField& field : fields_of<Config>()) {
    const bool filled = Config::kSizesCameLater && !is_frame_size(field.name);  // with the published ones
    if (field.is_size && !filled && !spec.sizes.contains(field.name))
      return usage(
          fmt::format("model {}: the size {} is missing; expected {}", Config::kName, field.name, field.allowed));
  }
  for (const auto& [name, number] : spec.sizes) {
    if (const Status status = set_field(name, std::to_string(number), config); !status) return status.error();
  }
  for (const auto& [name, word] : spec.options) {
    if (const Status status = set_field(name, word, config); !status) return status.error();
  }
  if (const auto fits = checked_spec(config); !fits) return fits.error();
  return config;
}

template <class Config>
std::map<std::string, std::string> unpublished(const ModelSpec& spec) {
  std::map<std::string, std::string> found;
  for (const ModelField& field : fields_of<Config>()) {
    const auto size = spec.sizes.find(field.name);
    const auto option = spec.options.find(field.name);
    std::string text = field.standard;
    if (size != spec.sizes.end()) text = std::to_string(size->second);
    if (option != spec.options.end()) text = option->second;
    if (!field.of_task && text != field.standard) found.emplace(field.name, text);
  }
  return found;
}

template <class T, class Config>
using Factory = std::unique_ptr<SequenceModel<T>> (*)(const Config& config, EngineChoice choice);

template <class T>
using Made = Result<std::unique_ptr<SequenceModel<T>>>;

template <class T, class Config, Factory<T, Config> kMake>
Made<T> make_as(const ModelSpec& spec, EngineChoice choice) {
  const Result<Config> config = config_from<Config>(spec);
  if (!config) return config.error();
  return kMake(*config, choice);
}

/// Everything that is known of a model by name.
struct Row {
  ModelEntry entry;
  std::vector<ModelField> (*fields)();
  Result<ModelSpec> (*resolve)(const std::map<std::string, std::string>& set, const ModelPorts& ports);
  std::map<std::string, std::string> (*unpublished)(const ModelSpec& spec);
  Made<float> (*make_float)(const ModelSpec& spec, EngineChoice choice);
  Made<double> (*make_double)(const ModelSpec& spec, EngineChoice choice);
};
template <class Config, Factory<float, Config> kFloat, Factory<double, Config> kDouble>
constexpr Row row_of() {
  return {{Config::kName, Config::kTitle, Config::kTraits},
          fields_of<Config>,
          resolve_as<Config>,
          schemamem::unpublished<Config>,
          make_as<float, Config, kFloat>,
          make_as<double, Config, kDouble>};
}
constexpr std::array kModels{
    row_of<SchemaMemConfig, make_schemamem<float>, make_schemamem<double>>(),
    row_of<Mamba3Config, make_mamba3<float>, make_mamba3<double>>(),
    row_of<GatedDeltaNetConfig, make_gated_delta_net<float>, make_gated_delta_net<double>>(),
};

Result<const Row*> find_row(std::string_view name) {
  const auto* const row =
      std::find_if(kModels.begin(), kModels.end(), [&](const Row& r) { return r.entry.name == name; });
  if (row != kModels.end()) return row;
  const std::vector<std::string> names = model_names();
  return usage(fmt::format("Unknown model {}: expected one of {}.{}", quote(name), fmt::join(names, ", "),
                           did_you_mean(name, names)));
}

}  // namespace

std::vector<ModelEntry> model_entries() {
  std::vector<ModelEntry> entries;
  for (const Row& row : kModels) entries.push_back(row.entry);
  return entries;
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const Row& row : kModels) names.emplace_back(row.entry.name);
  return names;
}

Result<ModelEntry> model_entry(std::string_view name) {
  const Result<const Row*> row = find_row(name);
  if (!row) return row.error();
  return (*row)->entry;
}

Result<std::vector<ModelField>> model_fields(std::string_view name) {
  const Result<const Row*> row = find_row(name);
  if (!row) return row.error();
  return (*row)->fields();
}

bool is_model_option(std::string_view model, std::string_view field) {
  const auto fields = model_fields(model);
  return fields && std::any_of(fields->begin(), fields->end(),
                               [&](const ModelField& one) { return one.name == field && !one.is_size; });
}

std::string ModelChoice::text() const {
  std::string text = name;
  for (const auto& [field, value] : set) text += fmt::format(":{}={}", field, value);
  return text;
}

Result<ModelChoice> parse_model_choice(std::string_view text) {
  const std::size_t end = std::min(text.find(':'), text.size());
  ModelChoice choice{.name = std::string(text.substr(0, end))};
  const Result<const Row*> row = find_row(choice.name);
  if (!row) return row.error();
  for (std::size_t at = end; at < text.size();) {
    const std::size_t next = std::min(text.find(':', at + 1), text.size());
    const std::string_view part = text.substr(at + 1, next - at - 1);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0)
      return usage(fmt::format("model {}: expected field=value, such as {}:layers=2; found {}", choice.name,
                               choice.name, quote(part)));
    if (!choice.set.emplace(part.substr(0, equals), part.substr(equals + 1)).second)
      return usage(fmt::format("model {}: {} is set twice", choice.name, quote(part.substr(0, equals))));
    at = next;
  }
  return choice;
}

Result<ModelSpec> resolve_model(const ModelChoice& choice, const ModelPorts& ports) {
  const Result<const Row*> row = find_row(choice.name);
  if (!row) return row.error();
  return (*row)->resolve(choice.set, ports);
}

Result<ModelSpec> published_spec(std::string_view name, std::size_t inputs, std::size_t outputs) {
  return resolve_model({.name = std::string(name)}, {.inputs = inputs, .outputs = outputs});
}

std::map<std::string, std::string> unpublished_fields(const ModelSpec& spec) {
  const Result<const Row*> row = find_row(spec.name);
  return row ? (*row)->unpublished(spec) : std::map<std::string, std::string>();
}

template <class T>
Result<std::unique_ptr<SequenceModel<T>>> make_model(const ModelSpec& spec, EngineChoice choice) {
  const Result<const Row*> row = find_row(spec.name);
  if (!row) return row.error();
  if constexpr (std::is_same_v<T, float>) {
    return (*row)->make_float(spec, choice);
  } else {
    return (*row)->make_double(spec, choice);
  }
}
template Result<std::unique_ptr<SequenceModel<float>>> make_model(const ModelSpec&, EngineChoice);
template Result<std::unique_ptr<SequenceModel<double>>> make_model(const ModelSpec&, EngineChoice);

template <class T>
Result<std::unique_ptr<SequenceModel<T>>> make_model(std::string_view name, std::size_t inputs, std::size_t outputs,
                                                     EngineChoice choice) {
  const Result<ModelSpec> spec = published_spec(name, inputs, outputs);
  if (!spec) return spec.error();
  return make_model<T>(*spec, choice);
}
template Result<std::unique_ptr<SequenceModel<float>>> make_model(std::string_view, std::size_t, std::size_t,
                                                                  EngineChoice);
template Result<std::unique_ptr<SequenceModel<double>>> make_model(std::string_view, std::size_t, std::size_t,
                                                                   EngineChoice);

std::map<std::string, std::string> to_metadata(const ModelSpec& spec) {
  std::map<std::string, std::string> metadata{{"model", spec.name}};
  for (const auto& [name, number] : spec.sizes) metadata[std::string(kSizePrefix) + name] = std::to_string(number);
  for (const auto& [name, word] : spec.options) metadata[std::string(kOptionPrefix) + name] = word;
  return metadata;
}

Result<ModelSpec> spec_from_metadata(const std::map<std::string, std::string>& metadata, const std::string& what) {
  const auto name = metadata.find("model");
  if (name == metadata.end())
    return Error(ErrorKind::kBadData, what + ": the metadata names no model; expected the key \"model\"");
  ModelSpec spec{.name = name->second, .sizes = {}, .options = {}};
  for (const auto& [key, text] : metadata) {
    if (key.starts_with(kOptionPrefix)) spec.options.emplace(key.substr(kOptionPrefix.size()), text);
    if (!key.starts_with(kSizePrefix)) continue;
    const Result<std::int64_t> number =
        parse_integer(text, "metadata " + printable(key), 0, std::numeric_limits<std::int64_t>::max());
    if (!number) return Error(ErrorKind::kBadData, what + ": " + number.error().message());
    spec.sizes.emplace(key.substr(kSizePrefix.size()), static_cast<std::size_t>(*number));
  }
  return spec;
}

}  // namespace schemamem
