#pragma once

#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

#include "kernels/reference/mamba3.h"
#include "models/layout.h"

namespace schemamem::test {

namespace ref = schemamem::reference::mamba3;

/// The entries of a plain tensor, in order.
template <class Tensor>
auto flat(Tensor& tensor) {
  using Entry = std::conditional_t<std::is_const_v<Tensor>, const double, double>;
  return std::span<Entry>(reinterpret_cast<Entry*>(&tensor), sizeof(Tensor) / sizeof(double));
}
/// Overwrites a plain tensor.
template <class Tensor>
void fill(Tensor& tensor, const std::vector<double>& values) {
  require(flat(tensor).size() == values.size(), "fill: sizes differ");
  std::copy(values.begin(), values.end(), flat(tensor).begin());
}

/// body(official name, tensor) for each.
template <class Weights, class Body>
void for_weights(Weights& w, Body body) {
  body("in_proj.weight", w.in_proj);
  body("dt_bias", w.dt_bias);
  body("D", w.d);
  body("B_bias", w.b_bias);
  body("C_bias", w.c_bias);
  body("B_norm.weight", w.b_norm);
  body("C_norm.weight", w.c_norm);
  body("out_proj.weight", w.out_proj);
}

/// Flat weights, laid out as the mixer's parameters(), for the reference, and back.
inline void fill_weights(const Layout& layout, std::span<const double> from, ref::Weights& weights) {
  for_weights(weights, [&](const char* name, auto& tensor) {
    const TensorSpec& spec = layout.find(name);
    const auto part = from.subspan(spec.offset, spec.size);
    std::copy(part.begin(), part.end(), flat(tensor).begin());
  });
}
inline std::vector<double> flatten(const Layout& layout, const ref::Weights& weights) {
  std::vector<double> all(layout.size());
  for_weights(weights, [&](const char* name, const auto& tensor) {
    const auto values = flat(tensor);
    std::copy(values.begin(), values.end(), all.begin() + static_cast<std::ptrdiff_t>(layout.find(name).offset));
  });
  return all;
}

}  // namespace schemamem::test
