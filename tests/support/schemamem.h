#pragma once

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "kernels/reference/schemamem.h"
#include "models/layout.h"

namespace schemamem::test {

/// `rows` rows of numbers, one behind the other, for the reference; and back.
inline reference::Matrix to_matrix(std::span<const double> values, std::size_t rows) {
  const std::size_t columns = values.size() / rows;
  reference::Matrix m;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto row = values.subspan(i * columns, columns);
    m.emplace_back(row.begin(), row.end());
  }
  return m;
}
inline std::vector<double> to_flat(const reference::Matrix& m) {
  std::vector<double> flat;
  for (const reference::Vector& row : m) flat.insert(flat.end(), row.begin(), row.end());
  return flat;
}

/// Flat weights, laid out as schemamem_parameters(), for the reference: both know the same order.
inline reference::SchemaMemWeights reference_schemamem(const Layout& layout, std::span<const double> flat) {
  reference::SchemaMemWeights weights;
  std::size_t layers = 0;
  while (layout.contains("layers." + std::to_string(layers) + ".schema")) ++layers;
  weights.layers.resize(layers);
  auto tensor = layout.tensors().begin();
  reference::SchemaMemWeights::each_matrix(weights, [&](reference::Matrix& m) {
    m = to_matrix(flat.subspan(tensor->offset, tensor->size), tensor->shape.size() == 1 ? 1 : tensor->shape[0]);
    ++tensor;
  });
  EXPECT_EQ(tensor, layout.tensors().end());
  return weights;
}
/// What a config says of the form, for the reference.
inline reference::SchemaMemForm reference_form(const SchemaMemConfig& config) {
  return {.writer = config.live ? reference::SchemaMemWriter::kLive : reference::SchemaMemWriter::kStatic,
          .commit = config.pulls ? reference::SchemaMemCommit::kPull : reference::SchemaMemCommit::kAdd,
          .phases = config.phases};
}
inline std::vector<double> flatten(const reference::SchemaMemWeights& weights) {
  std::vector<double> flat;
  reference::SchemaMemWeights::each_matrix(weights, [&](const reference::Matrix& m) {
    for (const reference::Vector& row : m) flat.insert(flat.end(), row.begin(), row.end());
  });
  return flat;
}
inline reference::SchemaMemWeights zeros_like(reference::SchemaMemWeights weights) {
  reference::SchemaMemWeights::each_matrix(weights, [](reference::Matrix& m) { m = reference::zeros_like(m); });
  return weights;
}

}  // namespace schemamem::test
