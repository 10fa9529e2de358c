#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/view.h"

namespace schemamem {

/// What a tensor is for: whoever acts on tensors (optimiser, initialisation, views of a memory) asks this, not for
/// names.
enum class Role {
  kMatrix,  // inside a layer; rows and columns are features
  kVector,  // a number for each feature: norms, biases, gates
  kFilter,  // a small block of weights for each feature: convolutions, biases by head and state
  kEdge,    // maps at the edge of a model, between its width and the outside
  kBank,    // rows are places: the schema
  kFrozen,  // no optimiser moves it
  kPhases,  // of a state: an angle for each slot and feature
  kState,   // any other part of a state
};
/// What a tensor of this shape inside a layer is unless told otherwise: one extent a vector, two a matrix, more a
/// filter.
Role role_of_shape(const std::vector<std::size_t>& shape);

/// One named tensor inside a flat buffer.
struct TensorSpec {
  std::string name;
  std::vector<std::size_t> shape;
  Role role = Role::kMatrix;
  std::size_t offset = 0;  // in elements, from the start of the buffer
  std::size_t size = 0;
};

/// Names, shapes and places of tensors in one flat buffer. Weights, gradients and optimiser moments share one layout,
/// so that whatever acts on all parameters is one loop. Tensors follow each other without gaps, in the order they were
/// added.
class Layout {
 public:
  /// Appends a tensor and returns its offset.
  std::size_t add(std::string name, std::vector<std::size_t> shape, Role role);
  std::size_t add(std::string name, std::vector<std::size_t> shape) {
    const Role role = role_of_shape(shape);
    return add(std::move(name), std::move(shape), role);
  }

  const std::vector<TensorSpec>& tensors() const { return tensors_; }
  std::size_t size() const { return size_; }
  bool contains(std::string_view name) const;
  /// The tensor called `name`; asking for one that is not there is the caller's mistake.
  const TensorSpec& find(std::string_view name) const;

  /// The part of `flat` that holds `name`.
  template <class T>
  View<T, 1> in(View<T, 1> flat, std::string_view name) const {
    const TensorSpec& spec = find(name);
    return flat.slice(spec.offset, spec.size);
  }

 private:
  std::vector<TensorSpec> tensors_;
  std::size_t size_ = 0;
};

}  // namespace schemamem
