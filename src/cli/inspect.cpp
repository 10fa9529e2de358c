#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/model_commands.h"
#include "cli/model_options.h"
#include "models/registry.h"

namespace schemamem {
namespace {

/// Flops of the forward pass for one token of a long episode: a third of the training step's, averaged.
double flops_per_token(const SequenceModel<float>& model) {
  constexpr std::size_t kTokens = 9600;
  const std::vector<float> queries(kTokens * model.config().row_width());
  const Episode<float> episode{.x = {queries.data(), {kTokens, model.config().row_width()}}};
  return model.training_flops(model.chunk_ends(episode)) / (3.0 * kTokens);
}

std::string shape_text(const std::vector<std::size_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

nlohmann::ordered_json layout_json(const Layout& layout) {
  nlohmann::ordered_json tensors = nlohmann::ordered_json::array();
  for (const TensorSpec& tensor : layout.tensors()) {
    tensors.push_back({{"name", tensor.name}, {"shape", tensor.shape}, {"elements", tensor.size}});
  }
  return tensors;
}

/// A field of a spec as text.
std::string value_of(const ModelSpec& spec, const ModelField& field) {
  if (const auto size = spec.sizes.find(field.name); size != spec.sizes.end()) return std::to_string(size->second);
  const auto option = spec.options.find(field.name);
  return option != spec.options.end() ? option->second : field.standard;
}

nlohmann::ordered_json fields_json(const ModelSpec& spec) {
  nlohmann::ordered_json fields = nlohmann::ordered_json::array();
  const std::vector<ModelField> known = model_fields(spec.name).value();
  for (const ModelField& field : known) {
    fields.push_back({{"name", field.name},
                      {"value", value_of(spec, field)},
                      {"published", field.standard},
                      {"allowed", field.allowed},
                      {"meaning", field.doc}});
  }
  return fields;
}

Status inspect(const ModelOptions& options, Console& console) {
  const auto spec = options.read_spec();
  if (!spec) return spec.error();
  const auto task = options.read_task();
  if (!task) return task.error();
  const std::string setting = (*task)->setting();
  const auto made = make_model<float>(*spec, {.isa = console.isa});
  if (!made) return made.error();
  const SequenceModel<float>& model = **made;
  const std::size_t parameters = model.parameters().size();
  const std::size_t state = model.state().size();
  const double flops = flops_per_token(model);
  if (console.json) {
    const nlohmann::ordered_json answer{{"model", spec->name},
                                        {"task", (*task)->name()},
                                        {"setting", setting},
                                        {"fields", fields_json(*spec)},
                                        {"parameters", parameters},
                                        {"persistent_elements", model.persistent_elements()},
                                        {"state_elements", state},
                                        {"flops_per_token", flops},
                                        {"parameter_bytes", parameters * sizeof(float)},
                                        {"persistent_bytes", model.persistent_elements() * sizeof(float)},
                                        {"state_bytes", state * sizeof(float)},
                                        {"instruction_set", isa_name(console.isa)},
                                        {"parameter_tensors", layout_json(model.parameters())},
                                        {"state_tensors", layout_json(model.state())}};
    return console.print(answer.dump() + "\n");
  }
  const ModelConfig& config = model.config();
  std::string text = fmt::format("{} for {} {}: {} {} in, {} out\n\n", console.paint.bold(spec->name), (*task)->name(),
                                 setting, config.inputs, config.symbols ? "symbols" : "numbers", config.outputs);
  text += fmt::format("  parameters           {:>10}   {:.0f} KB in float\n", parameters,
                      static_cast<double>(parameters * sizeof(float)) / 1e3);
  text += fmt::format("  persistent elements  {:>10}   {:.0f} KB, what outlives a chunk\n", model.persistent_elements(),
                      static_cast<double>(model.persistent_elements() * sizeof(float)) / 1e3);
  text += fmt::format("  stream state         {:>10}   {:.0f} KB, everything a saved stream holds\n", state,
                      static_cast<double>(state * sizeof(float)) / 1e3);
  text += fmt::format("  flops per token      {:>10.0f}   forward, matrix products of a long episode\n\n", flops);
  const std::vector<ModelField> known = model_fields(spec->name).value();
  for (const ModelField& field : known) {
    text += fmt::format("  {:<14} {:>10}   {}{}\n", field.name, value_of(*spec, field), field.doc,
                        field.of_task ? ", as the task says" : fmt::format("; {}", field.allowed));
  }
  text += '\n';
  for (const TensorSpec& tensor : model.parameters().tensors()) {
    text += fmt::format("  {:<34} {:<14} {:>7}\n", tensor.name, shape_text(tensor.shape), tensor.size);
  }
  return console.print(text);
}

}  // namespace

void register_inspect(CLI::App& program, Commands& commands) {
  const auto options = std::make_shared<ModelOptions>();
  CLI::App& command =
      commands.add(program, "inspect", "A model: its sizes and options, parameters, state, work per token.",
                   "schemamem inspect --model schemamem --setting A3V3\n"
                   "schemamem inspect --model schemamem --option slots=64 --option layers=2\n"
                   "schemamem inspect --model gdn --setting A5V5 --json");
  options->add_to(command);
  commands.on(command, [options](Console& console) { return inspect(*options, console); });
}

}  // namespace schemamem
