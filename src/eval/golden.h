#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kernels/isa.h"
#include "tensors/safetensors.h"

namespace schemamem {

enum class Scalar { kFloat, kDouble };

/// One tensor against its golden value. The error is max|a - ref| / (max|ref| + 1e-3); angles are compared on the
/// circle.
struct GoldenComparison {
  std::string tensor;
  std::string kind;  // "output", "state", "angle", "gradient"
  double error = 0;
  double tolerance = 0;
  bool passed() const { return error <= tolerance; }  // false for NaN
};

struct GoldenReport {
  std::string model, level, what;  // "schemamem", "layer" or "model", the file's case or mode
  std::vector<GoldenComparison> comparisons;
  bool passed() const;
  /// The largest error among comparisons of a kind; 0 if there is none.
  double largest(const std::string& kind) const;
};

/// Runs the model of a golden vector file (docs/formats.md, "Golden vectors") on its inputs and compares outputs,
/// states and every gradient.
Result<GoldenReport> verify_golden(const TensorFile& file, Scalar scalar, Isa isa);

}  // namespace schemamem
