#include "bindings.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace schemamem::python {
namespace {

constexpr std::uint64_t kLargestState = std::uint64_t{1} << 30;

v0::Model load(const std::string& name_or_path) {
  const nb::gil_scoped_release unlocked;
  return take(v0::Model::load(name_or_path));
}

v0::Model from_bytes(const nb::bytes& bytes, const std::string& what) {
  return take(v0::Model::from_bytes(span_of(bytes), what));
}

std::vector<std::pair<std::string, std::string>> published() {
  std::vector<std::pair<std::string, std::string>> models;
  for (const v0::PublishedModel& one : v0::Model::published()) models.emplace_back(one.name, one.file);
  return models;
}

std::vector<std::pair<std::string, std::string>> options(const v0::Model& model) {
  std::vector<std::pair<std::string, std::string>> options;
  for (const auto& [name, value] : model.options()) options.emplace_back(name, value);
  return options;
}

/// The model of a state file: a state tells the fingerprint of its weights, and models that can be named are compared
/// with it.
v0::Model model_of_state(const std::string& path) {
  const nb::gil_scoped_release unlocked;
  const auto bytes = take(read_file(path, kLargestState));
  const auto file = take(TensorFile::parse(bytes.span(), path));
  const auto metadata = file.metadata();
  const auto wanted = metadata.find("fingerprint"), name = metadata.find("model");
  if (wanted == metadata.end() || name == metadata.end()) {
    throw Failure(inside::Error(inside::ErrorKind::kBadData, path + ": expected a state file, whose metadata tells the "
                                                                    "fingerprint of its model; found none. A state is "
                                                                    "what save() of a memory or a stream writes."));
  }
  std::size_t looked_at = 0;
  for (const NamedModel& one : list_models(model_places())) {
    const auto found = load_model_file<float>(one.file);
    ++looked_at;
    if (found && (*found)->fingerprint() == wanted->second) return impl::Access::model(*found);
  }
  throw Failure::usage(path + ": the state is of a model " + quote(name->second) + " with the fingerprint " +
                       quote(wanted->second.substr(0, 12)) + "..., and none of the " + std::to_string(looked_at) +
                       " models that can be named here has it. Load the model from its file and pass it: model=...");
}

}  // namespace

void bind_model(nb::module_& core) {
  nb::class_<v0::Model>(core, "Model")
      .def("save", [](const v0::Model& model, const std::string& path) { check(model.save(path)); })
      .def("to_bytes", [](const v0::Model& model) { return bytes_of(model.bytes()); })
      .def_prop_ro("name", &v0::Model::name)
      .def_prop_ro("options", &options)
      .def_prop_ro("notes", &v0::Model::notes)
      .def_prop_ro("parameters", &v0::Model::parameters)
      .def_prop_ro("row_width", &v0::Model::row_width)
      .def_prop_ro("outputs", &v0::Model::outputs)
      .def_prop_ro("fingerprint", &v0::Model::fingerprint);
  core.def("load_model", &load);
  core.def("model_from_bytes", &from_bytes);
  core.def("published_models", &published);
  core.def("model_of_state", &model_of_state);
}

}  // namespace schemamem::python
