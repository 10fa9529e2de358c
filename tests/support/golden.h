#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "models/layout.h"
#include "record/tensor_files.h"
#include "tensors/safetensors.h"

namespace schemamem::test {

/// One golden file: every tensor is double; values_as<float>() rounds.
class Golden {
 public:
  explicit Golden(const std::string& name)
      : file_(load_tensors(std::filesystem::path(SCHEMAMEM_TEST_DATA) / "golden" / (name + ".safetensors"))) {}

  bool contains(const std::string& name) const { return file_->contains(name); }
  const std::vector<std::size_t>& shape(const std::string& name) const { return file_->find(name).value()->shape; }
  template <class T>
  std::vector<T> values_as(const std::string& name) const {
    const std::vector<double> values = file_->values<double>(name).value();
    return std::vector<T>(values.begin(), values.end());
  }
  std::vector<double> values(const std::string& name) const { return values_as<double>(name); }
  /// Entry `b` along the first axis.
  std::vector<double> entry(const std::string& name, std::size_t b) const {
    const std::vector<double> all = values(name);
    const std::size_t size = all.size() / shape(name).at(0);
    return {all.begin() + static_cast<std::ptrdiff_t>(b * size),
            all.begin() + static_cast<std::ptrdiff_t>((b + 1) * size)};
  }
  std::string text(const std::string& key) const { return file_->metadata_value(key).value(); }
  std::size_t number(const std::string& key) const { return std::stoul(text(key)); }

  /// The tensors prefix + name of a layout, one behind the other; with a batch, entry `b` of each.
  template <class T>
  std::vector<T> flat(const Layout& layout, const std::string& prefix, std::size_t b = 0) const {
    std::vector<T> all(layout.size());
    for (const TensorSpec& tensor : layout.tensors()) {
      const std::vector<T> part = values_as<T>(prefix + tensor.name);
      std::copy_n(part.begin() + static_cast<std::ptrdiff_t>(b * tensor.size), tensor.size,
                  all.begin() + static_cast<std::ptrdiff_t>(tensor.offset));
    }
    return all;
  }

 private:
  Result<TensorFile> file_;
};

/// max|a - ref| / (max|ref| + 1e-3), as the golden vectors' tolerances are meant; NaN counts as infinitely wrong.
template <class T, class U>
double golden_error(std::span<const T> a, std::span<const U> ref) {
  if (a.size() != ref.size()) return std::numeric_limits<double>::infinity();
  double off = 0, largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(ref[i]));
    if (!(difference <= std::numeric_limits<double>::max())) return std::numeric_limits<double>::infinity();
    off = std::max(off, difference);
    largest = std::max(largest, std::abs(static_cast<double>(ref[i])));
  }
  return off / (largest + 1e-3);
}
template <class T, class U>
double golden_error(const std::vector<T>& a, const std::vector<U>& ref) {
  return golden_error(std::span<const T>(a), std::span<const U>(ref));
}

/// The largest distance of angles on the circle; NaN counts as infinitely wrong.
template <class T, class U>
double circle_error(std::span<const T> a, std::span<const U> ref) {
  if (a.size() != ref.size()) return std::numeric_limits<double>::infinity();
  double off = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(ref[i]);
    if (!(std::abs(difference) <= std::numeric_limits<double>::max())) return std::numeric_limits<double>::infinity();
    off = std::max(off, std::abs(std::remainder(difference, 2 * std::numbers::pi)));
  }
  return off;
}

}  // namespace schemamem::test
