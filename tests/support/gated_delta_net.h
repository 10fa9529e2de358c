#pragma once

#include <span>
#include <vector>

#include "kernels/reference/gated_delta_net.h"
#include "models/layout.h"

namespace schemamem::test {

/// Flat weights, laid out as the mixer's parameters(), for the reference.
inline reference::GatedDeltaNetWeights reference_weights(const Layout& layout, std::span<const double> flat) {
  const auto matrix = [&](const char* name) {
    const TensorSpec& tensor = layout.find(name);
    const std::size_t columns = tensor.shape.back();
    reference::Matrix m;
    for (std::size_t at = tensor.offset; at < tensor.offset + tensor.size; at += columns) {
      m.emplace_back(flat.begin() + static_cast<std::ptrdiff_t>(at),
                     flat.begin() + static_cast<std::ptrdiff_t>(at + columns));
    }
    return m;
  };
  return {.q_proj = matrix("q_proj.weight"),
          .k_proj = matrix("k_proj.weight"),
          .v_proj = matrix("v_proj.weight"),
          .g_proj = matrix("g_proj.weight"),
          .a_proj = matrix("a_proj.weight"),
          .b_proj = matrix("b_proj.weight"),
          .q_conv = matrix("q_conv1d.weight"),
          .k_conv = matrix("k_conv1d.weight"),
          .v_conv = matrix("v_conv1d.weight"),
          .a_log = matrix("A_log")[0],
          .dt_bias = matrix("dt_bias")[0],
          .o_norm = matrix("o_norm.weight")[0],
          .o_proj = matrix("o_proj.weight")};
}

/// The other way: the reference's gradients as one flat vector.
inline std::vector<double> flatten(const reference::GatedDeltaNetWeights& w) {
  std::vector<double> flat;
  const auto append = [&](const reference::Matrix& m) {
    for (const reference::Vector& row : m) flat.insert(flat.end(), row.begin(), row.end());
  };
  for (const auto* m : {&w.q_proj, &w.k_proj, &w.v_proj, &w.g_proj, &w.a_proj, &w.b_proj}) append(*m);
  for (const auto* m : {&w.q_conv, &w.k_conv, &w.v_conv}) append(*m);
  append({w.a_log, w.dt_bias, w.o_norm});
  append(w.o_proj);
  return flat;
}

}  // namespace schemamem::test
