#include "api/c_call.h"

using schemamem::impl::bytes_at;
using schemamem::impl::c_call;
using schemamem::impl::hand_out;
using schemamem::impl::needed;

namespace {

using namespace schemamem;

thread_local std::string last_error;

}  // namespace

int schemamem::impl::keep_failure(int code, const char* message) noexcept {
  try {
    last_error = message;
  } catch (...) {
    last_error.clear();
  }
  return code;
}

const char* sm_last_error(void) { return last_error.c_str(); }

int sm_model_from_bytes(const void* bytes, size_t size, sm_model** model) {
  return c_call([&]() -> Status {
    if (const Status there = needed(model, "model"); !there) return there;
    *model = nullptr;
    if (const Status there = needed(bytes, "bytes"); !there) return there;
    return hand_out(LoadedModel<float>::parse(bytes_at(bytes, size), "the bytes"), model);
  });
}

void sm_model_free(sm_model* model) { delete model; }

const char* sm_model_name(const sm_model* model) {
  return model == nullptr ? nullptr : model->loaded->spec().name.c_str();
}
const char* sm_model_fingerprint(const sm_model* model) {
  return model == nullptr ? nullptr : model->loaded->fingerprint().c_str();
}
const char* sm_model_note(const sm_model* model, const char* key) {
  const char* note = nullptr;
  c_call([&]() -> Status {
    if (model == nullptr || key == nullptr) return Done{};
    const auto found = model->loaded->notes().find(key);
    if (found != model->loaded->notes().end()) note = found->second.c_str();
    return Done{};
  });
  return note;
}
size_t sm_model_parameters(const sm_model* model) {
  return model == nullptr ? 0 : model->loaded->model().parameters().size();
}
size_t sm_model_row_width(const sm_model* model) {
  return model == nullptr ? 0 : model->loaded->model().config().row_width();
}
size_t sm_model_outputs(const sm_model* model) {
  return model == nullptr ? 0 : model->loaded->model().config().outputs;
}
