#include "models/registry.h"

#include <fmt/format.h>

#include <array>

#include "base/suggest.h"
#include "base/text.h"
#include "models/gated_delta_net/model.h"
#include "models/mamba3/model.h"

namespace schemamem {
namespace {

constexpr std::array<ModelEntry, 3> kEntries{
    {{"schemamem", "SchemaMem"}, {"mamba3", "Mamba-3"}, {"gdn", "Gated DeltaNet"}}};

}  // namespace

std::span<const ModelEntry> model_entries() { return kEntries; }

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const ModelEntry& entry : kEntries) names.emplace_back(entry.name);
  return names;
}

template <class T>
Result<std::unique_ptr<SequenceModel<T>>> make_model(std::string_view name, std::size_t inputs, std::size_t outputs,
                                                     EngineChoice choice) {
  const ModelConfig config{.name = std::string(name), .inputs = inputs, .outputs = outputs};
  if (name == "schemamem") {
    SchemaMemConfig sizes;
    sizes.inputs = inputs;
    sizes.outputs = outputs;
    return make_schemamem<T>(sizes, choice);
  }
  if (name == "mamba3") return make_mamba3<T>(config, choice.isa);
  if (name == "gdn") return make_gated_delta_net<T>(config, choice.isa);
  const std::vector<std::string> names = model_names();
  return Error(ErrorKind::kUsage, fmt::format("Unknown model {}: expected one of {}.{}", quote(name),
                                              fmt::join(names, ", "), did_you_mean(name, names)));
}

template Result<std::unique_ptr<SequenceModel<float>>> make_model<float>(std::string_view, std::size_t, std::size_t,
                                                                         EngineChoice);
template Result<std::unique_ptr<SequenceModel<double>>> make_model<double>(std::string_view, std::size_t, std::size_t,
                                                                           EngineChoice);

}  // namespace schemamem
