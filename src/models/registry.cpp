#include "models/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "base/parse.h"
#include "base/suggest.h"
#include "base/text.h"
#include "models/gated_delta_net/model.h"
#include "models/mamba3/model.h"

namespace schemamem {
namespace {

using Sizes = std::map<std::string, std::size_t, std::less<>>;
constexpr std::string_view kSizePrefix = "size.";

/// A size of a model: the published number, and the largest that is accepted. The limits are far beyond what is useful;
/// they keep products of sizes from overflowing and a broken file from asking for all memory.
struct SizeInfo {
  std::string_view name;
  std::size_t published;
  std::size_t most;
};
constexpr std::array kFrameSizes{SizeInfo{"inputs", 0, 4'096}, SizeInfo{"outputs", 0, 4'096},
                                 SizeInfo{"layers", 3, 256}};
constexpr std::array kSchemaMemSizes{SizeInfo{"width", 32, 4'096},   SizeInfo{"slots", 176, 1'048'576},
                                     SizeInfo{"heads", 4, 2'048},    SizeInfo{"head_dim", 8, 128},
                                     SizeInfo{"hidden", 16, 65'536}, SizeInfo{"commit_every", 96, 65'536}};

ModelConfig frame(std::string_view name, const Sizes& sizes) {
  return {.name = std::string(name),
          .inputs = sizes.at("inputs"),
          .outputs = sizes.at("outputs"),
          .layers = sizes.at("layers")};
}

template <class T>
std::unique_ptr<SequenceModel<T>> schemamem_of(const Sizes& sizes, EngineChoice choice) {
  return make_schemamem<T>({.inputs = sizes.at("inputs"),
                            .outputs = sizes.at("outputs"),
                            .layers = sizes.at("layers"),
                            .width = sizes.at("width"),
                            .slots = sizes.at("slots"),
                            .heads = sizes.at("heads"),
                            .head_dim = sizes.at("head_dim"),
                            .hidden = sizes.at("hidden"),
                            .commit_every = sizes.at("commit_every")},
                           choice);
}

template <class T>
std::unique_ptr<SequenceModel<T>> gdn_of(const Sizes& sizes, EngineChoice choice) {
  return make_gated_delta_net<T>(frame("gdn", sizes), choice.isa);
}

template <class T>
std::unique_ptr<SequenceModel<T>> mamba3_of(const Sizes& sizes, EngineChoice choice) {
  return make_mamba3<T>(frame("mamba3", sizes), choice.isa);
}

template <class T>
using Factory = std::unique_ptr<SequenceModel<T>> (*)(const Sizes& sizes, EngineChoice choice);

struct Row {
  ModelEntry entry;
  std::span<const SizeInfo> sizes;  // besides those of the frame
  Factory<float> make_float;
  Factory<double> make_double;
};
constexpr std::array kModels{
    Row{{"schemamem", "SchemaMem"}, kSchemaMemSizes, schemamem_of<float>, schemamem_of<double>},
    Row{{"mamba3", "Mamba-3"}, {}, mamba3_of<float>, mamba3_of<double>},
    Row{{"gdn", "Gated DeltaNet"}, {}, gdn_of<float>, gdn_of<double>},
};

Error usage(const std::string& message) { return {ErrorKind::kUsage, message}; }

Result<const Row*> find_row(std::string_view name) {
  const auto* const row =
      std::find_if(kModels.begin(), kModels.end(), [&](const Row& r) { return r.entry.name == name; });
  if (row != kModels.end()) return row;
  const std::vector<std::string> names = model_names();
  return usage(fmt::format("Unknown model {}: expected one of {}.{}", quote(name), fmt::join(names, ", "),
                           did_you_mean(name, names)));
}

std::vector<SizeInfo> all_sizes(const Row& row) {
  std::vector<SizeInfo> sizes(kFrameSizes.begin(), kFrameSizes.end());
  sizes.insert(sizes.end(), row.sizes.begin(), row.sizes.end());
  return sizes;
}

Status check_sizes(const Row& row, const ModelSpec& spec) {
  std::vector<std::string> known;
  for (const SizeInfo& size : all_sizes(row)) {
    known.emplace_back(size.name);
    const auto found = spec.sizes.find(size.name);
    if (found == spec.sizes.end())
      return usage(
          fmt::format("model {}: the size {} is missing; expected 1 to {}", row.entry.name, size.name, size.most));
    if (found->second < 1 || found->second > size.most)
      return usage(fmt::format("model {}: the size {} is {}; expected 1 to {}", row.entry.name, size.name,
                               found->second, size.most));
  }
  for (const auto& [name, number] : spec.sizes) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      return usage(fmt::format("model {}: unknown size {}; expected {}.{}", row.entry.name, quote(name),
                               fmt::join(known, ", "), did_you_mean(name, known)));
  }
  return Done{};
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

Result<ModelSpec> published_spec(std::string_view name, std::size_t inputs, std::size_t outputs) {
  const Result<const Row*> row = find_row(name);
  if (!row) return row.error();
  ModelSpec spec{.name = std::string(name), .sizes = {}};
  for (const SizeInfo& size : all_sizes(**row)) spec.sizes.emplace(size.name, size.published);
  spec.sizes["inputs"] = inputs;
  spec.sizes["outputs"] = outputs;
  return spec;
}

template <class T>
Result<std::unique_ptr<SequenceModel<T>>> make_model(const ModelSpec& spec, EngineChoice choice) {
  const Result<const Row*> row = find_row(spec.name);
  if (!row) return row.error();
  if (const Status checked = check_sizes(**row, spec); !checked) return checked.error();
  try {
    if constexpr (std::is_same_v<T, float>) {
      return (*row)->make_float(spec.sizes, choice);
    } else {
      return (*row)->make_double(spec.sizes, choice);
    }
  } catch (const ContractViolation& problem) {  // sizes that are fine one by one and do not fit together
    return usage(fmt::format("model {}: {}", spec.name, problem.what()));
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
  return metadata;
}

Result<ModelSpec> spec_from_metadata(const std::map<std::string, std::string>& metadata, const std::string& what) {
  const auto name = metadata.find("model");
  if (name == metadata.end())
    return Error(ErrorKind::kBadData, what + ": the metadata names no model; expected the key \"model\"");
  ModelSpec spec{.name = name->second, .sizes = {}};
  for (const auto& [key, text] : metadata) {
    if (!key.starts_with(kSizePrefix)) continue;
    const Result<std::int64_t> number =
        parse_integer(text, "metadata " + printable(key), 0, std::numeric_limits<std::int64_t>::max());
    if (!number) return Error(ErrorKind::kBadData, what + ": " + number.error().message());
    spec.sizes.emplace(key.substr(kSizePrefix.size()), static_cast<std::size_t>(*number));
  }
  return spec;
}

}  // namespace schemamem
