#include "bindings.h"

namespace schemamem::python {
namespace {

/// The class of an error in python/schemamem/errors.py.
const char* class_of(v0::ErrorKind kind) {
  switch (kind) {
    case v0::ErrorKind::kFailed:
      return "Failed";
    case v0::ErrorKind::kStepLimit:
      return "StepLimit";
    case v0::ErrorKind::kUsage:
      return "UsageError";
    case v0::ErrorKind::kBadData:
      return "BadData";
    case v0::ErrorKind::kMissingInput:
      return "MissingInput";
    case v0::ErrorKind::kCannotCreate:
      return "CannotCreate";
    case v0::ErrorKind::kInputOutput:
      return "InputOutput";
    case v0::ErrorKind::kInterrupted:
      return "Interrupted";
    case v0::ErrorKind::kNonFinite:
      return "NonFinite";
  }
  return "Error";
}

void raise(const char* name, const char* message) {
  PyErr_SetString(nb::module_::import_("schemamem.errors").attr(name).ptr(), message);
}

}  // namespace

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Failure& failure) {
      raise(class_of(failure.kind()), failure.what());
    } catch (const std::logic_error& mistake) {  // a wrong call
      raise(class_of(v0::ErrorKind::kUsage), mistake.what());
    }
  });
}

}  // namespace schemamem::python

NB_MODULE(_core, core) {
  using namespace schemamem::python;
  core.attr("version") = schemamem::v0::version().c_str();
  core.attr("commit") = schemamem::v0::commit().c_str();
  nb::set_leak_warnings(false);  // at the end of a program whatever still holds a model, such as PyTorch's graph, may
  bind_errors(core);
  bind_model(core);
  bind_stream(core);
  bind_memory(core);
  bind_episodes(core);
  bind_evaluation(core);
  bind_bench(core);
  bind_trainer(core);
  bind_part(core);
  bind_weights(core);
}
