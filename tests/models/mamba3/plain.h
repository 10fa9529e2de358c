#pragma once

#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

#include "kernels/reference/mamba3.h"

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

}  // namespace schemamem::test
