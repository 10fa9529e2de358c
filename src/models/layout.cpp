#include "models/layout.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace schemamem {

std::size_t Layout::add(std::string name, std::vector<std::size_t> shape) {
  require(!contains(name), "Layout::add: there is already a tensor " + name);
  const std::size_t size = std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  const std::size_t offset = size_;
  tensors_.push_back({.name = std::move(name), .shape = std::move(shape), .offset = offset, .size = size});
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
