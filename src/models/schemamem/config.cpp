#include "models/schemamem/config.h"

#include <string>

#include "base/result.h"
#include "models/schemamem/places.h"

namespace schemamem {

void SchemaMemConfig::check() const {
  require(inputs >= 2 && outputs >= 1 && layers >= 1 && slots >= 1 && hidden >= 1 && commit_every >= 1,
          "SchemaMemConfig: every size is at least one, and inputs at least two");
  require(heads >= 1 && head_dim >= 2 && head_dim % 2 == 0,
          "SchemaMemConfig: head_dim is even, as rotation needs pairs");
  require(heads * head_dim == width, "SchemaMemConfig: heads * head_dim = width");
  require(head_dim <= 128, "SchemaMemConfig: head_dim is at most 128");
}

Layout schemamem_parameters(const SchemaMemConfig& c) {
  Layout layout;
  layout.add("in_proj.weight", {c.inputs, c.width});
  layout.add("in_proj.bias", {c.width});
  for (std::size_t i = 0; i < c.layers; ++i) {
    const std::string layer = "layers." + std::to_string(i) + ".";
    layout.add(layer + "norm1.weight", {c.width});
    layout.add(layer + "norm2.weight", {c.width});
    layout.add(layer + "schema", {c.slots, c.width});
    for (const char* name : {"w_k", "w_v"}) layout.add(layer + name, {2 * c.width, c.width});
    for (const char* name : {"w_r", "w_w", "w_delta", "w_f"}) layout.add(layer + name, {c.width, c.width});
    for (const char* name : {"attn.w_q", "attn.w_o"}) layout.add(layer + name, {c.width, c.width});
    for (const char* name : {"attn.w_k", "attn.w_v"}) layout.add(layer + name, {c.width, c.head_dim});
    for (const char* name : {"mlp.w_gate", "mlp.w_up"}) layout.add(layer + name, {c.width, c.hidden});
    layout.add(layer + "mlp.w_down", {c.hidden, c.width});
  }
  layout.add("final_norm.weight", {c.width});
  layout.add("out_proj.weight", {c.width, c.outputs});
  return layout;
}

SchemaMemPlaces schemamem_places(const SchemaMemConfig& config) {
  const Layout layout = schemamem_parameters(config);
  const auto at = [&](const char* name) { return layout.find(name).offset; };
  return {.input = at("in_proj.weight"),
          .bias = at("in_proj.bias"),
          .final_norm = at("final_norm.weight"),
          .output = at("out_proj.weight"),
          .norm1 = at("layers.0.norm1.weight"),
          .norm2 = at("layers.0.norm2.weight"),
          .schema = at("layers.0.schema"),
          .w_k = at("layers.0.w_k"),
          .w_v = at("layers.0.w_v"),
          .w_r = at("layers.0.w_r"),
          .w_w = at("layers.0.w_w"),
          .w_delta = at("layers.0.w_delta"),
          .w_f = at("layers.0.w_f"),
          .attn_q = at("layers.0.attn.w_q"),
          .attn_o = at("layers.0.attn.w_o"),
          .attn_k = at("layers.0.attn.w_k"),
          .attn_v = at("layers.0.attn.w_v"),
          .gate = at("layers.0.mlp.w_gate"),
          .up = at("layers.0.mlp.w_up"),
          .down = at("layers.0.mlp.w_down"),
          .layer_size = (at("final_norm.weight") - at("layers.0.norm1.weight")) / config.layers};
}

}  // namespace schemamem
