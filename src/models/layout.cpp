#include "models/layout.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace schemamem {

Role role_of_shape(const std::vector<std::size_t>& shape) {
  if (shape.size() < 2) return Role::kVector;
  return shape.size() == 2 ? Role::kMatrix : Role::kFilter;
}

std::size_t Layout::add(std::string name, std::vector<std::size_t> shape, Role role) {
  require(!contains(name), "Layout::add: there is already a tensor " + name);
  const std::size_t size = std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  const std::size_t offset = size_;
  tensors_.push_back(
      {.name = std::move(name), .shape = std::move(shape), .role = role, .offset = offset, .size = size});
  size_ += size;
  return offset;
}

bool Layout::contains(std::string_view name) const {
  return std::any_of(tensors_.begin(), tensors_.end(), [&](const TensorSpec& spec) { return spec.name == name; });
}

const TensorSpec& Layout::find(std::string_view name) const {
  const auto found =
      std::find_if(tensors_.begin(), tensors_.end(), [&](const TensorSpec& spec) { return spec.name == name; });
  if (found == tensors_.end()) throw ContractViolation("Layout::find: no tensor " + std::string(name));
  return *found;
}

}  // namespace schemamem
