#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "kernels/reference/mamba3.h"
#include "models/layout.h"

namespace schemamem::test {

namespace ref = schemamem::reference::mamba3;

/// body(entry) for the entries of a plain tensor, in order.
template <class Body>
void for_entries(double& entry, const Body& body) {
  body(entry);
}
template <class Body>
void for_entries(const double& entry, const Body& body) {
  body(entry);
}
template <class Tensor, class Body>
void for_entries(Tensor& tensor, const Body& body) {
  for (auto& part : tensor) for_entries(part, body);
}
template <class Tensor>
std::vector<double> flat(const Tensor& tensor) {
  std::vector<double> entries;
  for_entries(tensor, [&](double entry) { entries.push_back(entry); });
  return entries;
}
/// Overwrites a plain tensor.
template <class Tensor>
void fill(Tensor& tensor, std::span<const double> values) {
  std::size_t next = 0;
  for_entries(tensor, [&](double& entry) {
    require(next < values.size(), "fill: the tensor has more entries than there are values");
    entry = values[next++];
  });
  require(next == values.size(), "fill: there are more values than the tensor has entries");
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
    fill(tensor, from.subspan(spec.offset, spec.size));
  });
}
inline std::vector<double> flatten(const Layout& layout, const ref::Weights& weights) {
  std::vector<double> all(layout.size());
  for_weights(weights, [&](const char* name, const auto& tensor) {
    const std::vector<double> values = flat(tensor);
    std::copy(values.begin(), values.end(), all.begin() + static_cast<std::ptrdiff_t>(layout.find(name).offset));
  });
  return all;
}

/// Flat states, laid out as the mixer's state(), for the reference, and back.
inline ref::State plain_state(const ref::Sizes& sizes, std::span<const double> from) {
  ref::State state(sizes);
  const auto take = [&](auto& tensor) {
    const std::size_t size = flat(tensor).size();
    fill(tensor, from.first(size));
    from = from.subspan(size);
  };
  take(state.angle);
  take(state.ssm);
  take(state.k);
  take(state.v);
  return state;
}
inline std::vector<double> flatten(const ref::State& state) {
  std::vector<double> all = flat(state.angle);
  for (const std::vector<double>& part : {flat(state.ssm), flat(state.k), flat(state.v)}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace schemamem::test
