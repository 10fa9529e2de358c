#include "models/schemamem/config.h"

#include <fmt/format.h>

#include <string>

#include "base/result.h"
#include "models/schemamem/places.h"

namespace schemamem {

void SchemaMemConfig::check() const {
  check_fields(*this);
  require(heads * head_dim == width,
          fmt::format("heads * head_dim = width, found {} * {} and {}", heads, head_dim, width));
}

Layout schemamem_parameters(const SchemaMemConfig& c) {
  Layout layout;
  if (!c.bare) {
    layout.add("in_proj.weight", {c.inputs, c.width}, Role::kEdge);
    layout.add("in_proj.bias", {c.width});
  }
  for (std::size_t i = 0; i < c.layers; ++i) {
    const std::string layer = "layers." + std::to_string(i) + ".";
    layout.add(layer + "norm1.weight", {c.width});
    layout.add(layer + "norm2.weight", {c.width});
    layout.add(layer + "schema", {c.slots, c.width}, Role::kBank);
    for (const char* name : {"w_k", "w_v"}) layout.add(layer + name, {2 * c.width, c.width});
    for (const char* name : {"w_r", "w_w", "w_delta", "w_f"}) layout.add(layer + name, {c.width, c.width});
    for (const char* name : {"attn.w_q", "attn.w_o"}) layout.add(layer + name, {c.width, c.width});
    for (const char* name : {"attn.w_k", "attn.w_v"}) layout.add(layer + name, {c.width, c.head_dim});
    for (const char* name : {"mlp.w_gate", "mlp.w_up"}) layout.add(layer + name, {c.width, c.hidden});
    layout.add(layer + "mlp.w_down", {c.hidden, c.width});
  }
  if (c.bare) return layout;
  layout.add("final_norm.weight", {c.width});
  layout.add("out_proj.weight", {c.width, c.outputs}, Role::kEdge);
  return layout;
}

SchemaMemPlaces schemamem_places(const SchemaMemConfig& config) {
  const Layout layout = schemamem_parameters(config);
  // A bare stack has no maps, and nobody asks where they are.
  const auto at = [&](const char* name) { return layout.contains(name) ? layout.find(name).offset : 0; };
  const std::size_t layers_end = config.bare ? layout.size() : at("final_norm.weight");
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
          .layer_size = (layers_end - at("layers.0.norm1.weight")) / config.layers};
}

}  // namespace schemamem
