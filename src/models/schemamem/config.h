#pragma once

#include <cstddef>

#include "models/layout.h"

namespace schemamem {

/// Sizes of a SchemaMem model; the defaults are the paper's (54,336 parameters and 16,896 persistent elements for
/// A3V3).
struct SchemaMemConfig {
  std::size_t inputs = 7;         // a + v + 1
  std::size_t outputs = 3;        // v
  std::size_t layers = 3;         // L
  std::size_t width = 32;         // d
  std::size_t slots = 176;        // M
  std::size_t heads = 4;          // query heads; one key/value head is shared
  std::size_t head_dim = 8;       // even; heads * head_dim = width
  std::size_t hidden = 16;        // of the SwiGLU
  std::size_t commit_every = 96;  // longest chunk

  /// Throws ContractViolation if the sizes do not fit together.
  void check() const;
  bool has_paper_sizes() const { return width == 32 && slots == 176 && heads == 4 && head_dim == 8 && hidden == 16; }
};

inline constexpr double kSchemaMemNormEps = 1e-6;

/// Named tensors of the weights (docs/formats.md, "Parameter names").
Layout schemamem_parameters(const SchemaMemConfig& config);

}  // namespace schemamem
