#pragma once

#include <cmath>
#include <cstdlib>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "eval/golden.h"
#include "models/layout.h"

namespace schemamem {

/// What a golden comparison needs from its file, with errors that name it.
class GoldenFile {
 public:
  explicit GoldenFile(const TensorFile& file) : file_(file) {}

  const TensorFile& file() const { return file_; }
  Result<std::size_t> number(const std::string& key) const;
  Result<std::string> text(const std::string& key) const { return file_.metadata_value(key); }

  /// A tensor in the scalar type of the run.
  template <class T>
  Result<std::vector<T>> values(const std::string& name) const {
    const Result<std::vector<double>> stored = file_.values<double>(name);
    if (!stored) return stored.error();
    return std::vector<T>(stored->begin(), stored->end());
  }

  /// Compares `ours`, laid out like the stored tensor, and appends the outcome.
  template <class T>
  Status compare(const std::string& name, std::span<const T> ours, const std::string& kind, double tolerance,
                 GoldenReport& report) const {
    const Result<std::vector<double>> stored = file_.values<double>(name);
    if (!stored) return stored.error();
    if (stored->size() != ours.size()) {
      return Error(ErrorKind::kBadData, file_.what() + ": tensor " + name + " has " + std::to_string(stored->size()) +
                                            " numbers, expected " + std::to_string(ours.size()));
    }
    double worst = 0, largest = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      const double reference = (*stored)[i];
      double difference = std::abs(static_cast<double>(ours[i]) - reference);
      if (kind == "angle") difference = std::abs(std::remainder(difference, 2 * std::numbers::pi));
      if (!(difference <= worst)) worst = difference;  // a NaN is worse than anything
      largest = std::max(largest, std::abs(reference));
    }
    const double error = kind == "angle" ? worst : worst / (largest + 1e-3);
    report.comparisons.push_back({.tensor = name, .kind = kind, .error = error, .tolerance = tolerance});
    return Done{};
  }

 private:
  const TensorFile& file_;
};

/// Tolerances of docs/formats.md, "Golden vectors".
struct GoldenTolerances {
  double output, state, angle, gradient;
};
template <class T>
constexpr GoldenTolerances golden_tolerances() {
  if constexpr (sizeof(T) == sizeof(double)) return {1e-9, 1e-9, 1e-9, 1e-9};
  return {2e-5, 5e-5, 1e-4, 1e-4};
}

/// The tensors param.<name> of a layout, each of the right shape, in one flat array.
template <class T>
Result<std::vector<T>> read_parameters(const GoldenFile& file, const Layout& layout);
/// A flat gradient against the tensors <prefix><name>.
template <class T>
Status compare_gradients(const GoldenFile& file, const Layout& layout, const std::string& prefix,
                         const std::vector<T>& gradient, double tolerance, GoldenReport& report);

/// A SchemaMem model, a baseline as a whole, one mixer layer of a baseline.
template <class T>
Result<GoldenReport> verify_schemamem(const GoldenFile& file, Isa isa);
template <class T>
Result<GoldenReport> verify_baseline(const GoldenFile& file, const std::string& model, Isa isa);
template <class T>
Result<GoldenReport> verify_layer(const GoldenFile& file, const std::string& model, Isa isa);

}  // namespace schemamem
