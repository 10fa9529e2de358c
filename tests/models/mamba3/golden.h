#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

#include "record/safetensors.h"

namespace schemamem::test {

/// One golden file of Mamba-3 (tests/data/golden/README.md). What is absent is a mistake of the test.
class Golden {
 public:
  explicit Golden(const std::string& name)
      : file_(load(std::string(SCHEMAMEM_TEST_DATA) + "/golden/mamba3/" + name + ".safetensors")) {}

  const TensorFile& file() const { return file_; }
  bool contains(const std::string& name) const { return file_.contains(name); }
  std::vector<double> values(const std::string& name) const { return file_.values<double>(name).value(); }
  /// Entry `batch` of a tensor whose first axis is the batch.
  std::vector<double> entry(const std::string& name, std::size_t batch) const {
    const std::vector<double> all = values(name);
    const std::size_t size = all.size() / file_.find(name).value()->shape.at(0);
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(batch * size);
    return {first, first + static_cast<std::ptrdiff_t>(size)};
  }
  std::size_t number(const std::string& key) const { return std::stoul(file_.metadata_value(key).value()); }

 private:
  static TensorFile load(const std::string& path) { return TensorFile::load(path).value(); }
  TensorFile file_;
};

/// max|a - ref| / (max|ref| + 1e-3).
template <class A>
double relative_error(const A& found, const std::vector<double>& expected) {
  EXPECT_EQ(found.size(), expected.size());
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double error = std::abs(static_cast<double>(found[i]) - expected[i]);
    if (!(error <= difference)) difference = error;  // lets NaN through
    largest = std::max(largest, std::abs(expected[i]));
  }
  return difference / (largest + 1e-3);
}

/// The largest distance on the circle.
template <class A>
double circle_error(const A& found, const std::vector<double>& expected) {
  EXPECT_EQ(found.size(), expected.size());
  double largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double error = std::abs(std::remainder(static_cast<double>(found[i]) - expected[i], 2 * std::numbers::pi));
    if (!(error <= largest)) largest = error;
  }
  return largest;
}

}  // namespace schemamem::test
