#include "bindings.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include <algorithm>

namespace schemamem::python {
namespace {

using Texts = std::map<std::string, std::string>;

/// Copies of a model's tensors, by name.
nb::dict weights(const v0::Model& model) {
  const auto& loaded = *impl::Access::loaded(model);
  nb::dict tensors;
  for (const TensorSpec& one : loaded.model().parameters().tensors()) {
    auto* const numbers = new float[one.size];
    const nb::capsule owner(numbers, [](void* memory) noexcept { delete[] static_cast<float*>(memory); });
    std::copy_n(loaded.weights().data() + one.offset, one.size, numbers);
    tensors[one.name.c_str()] = nb::ndarray<nb::numpy, float>(numbers, one.shape.size(), one.shape.data(), owner);
  }
  return tensors;
}

v0::Model from_weights(const std::string& name, const Texts& options, std::size_t inputs, std::size_t outputs,
                       bool symbols, const Array<const float, 1>& flat, const Texts& notes) {
  const ModelSpec spec =
      take(resolve_model({.name = name, .set = options}, {.inputs = inputs, .outputs = outputs, .symbols = symbols}));
  const auto made = take(make_model<float>(spec));
  if (flat.size() != made->parameters().size())
    throw Failure::usage("the model has " + std::to_string(made->parameters().size()) + " weights; found " +
                         std::to_string(flat.size()));
  const auto loaded = take(LoadedModel<float>::make(spec, numbers(flat), {}, notes));
  // The rule of its marks and the like follow from its file.
  return take(v0::Model::from_bytes(loaded->encode().span(), "the model"));
}

}  // namespace

void bind_weights(nb::module_& core) {
  core.def("model_weights", &weights);
  core.def("model_from_weights", &from_weights);
}

}  // namespace schemamem::python
