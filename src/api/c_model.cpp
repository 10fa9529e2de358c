#include "api/c_call.h"

using schemamem::impl::bytes_at;
using schemamem::impl::c_call;
using schemamem::impl::needed;

namespace {

using namespace schemamem;

thread_local std::string last_error;

/// A handle around a model that was found, or the reason why not.
Status hand_out(Result<std::shared_ptr<const LoadedModel<float>>> loaded, sm_model** model) {
  if (!loaded) return loaded.error();
  *model = new sm_model{std::move(loaded).value()};
  return Done{};
}

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

const char* sm_version(void) { return build_info().version.data(); }

int sm_published(sm_names** names) {
  return c_call([&]() -> Status {
    if (const Status there = needed(names, "names"); !there) return there;
    *names = nullptr;
    auto list = std::make_unique<sm_names>();
    for (NamedModel& one : list_models(model_places())) list->names.push_back(std::move(one.name));
    *names = list.release();
    return Done{};
  });
}

size_t sm_names_count(const sm_names* names) { return names == nullptr ? 0 : names->names.size(); }
const char* sm_names_at(const sm_names* names, size_t index) {
  return index < sm_names_count(names) ? names->names[index].c_str() : nullptr;
}
void sm_names_free(sm_names* names) { delete names; }

int sm_model_load(const char* name_or_path, sm_model** model) {
  return c_call([&]() -> Status {
    if (const Status there = needed(model, "model"); !there) return there;
    *model = nullptr;
    if (const Status there = needed(name_or_path, "name_or_path"); !there) return there;
    return hand_out(load_model<float>(name_or_path), model);
  });
}

int sm_model_from_bytes(const void* bytes, size_t size, sm_model** model) {
  return c_call([&]() -> Status {
    if (const Status there = needed(model, "model"); !there) return there;
    *model = nullptr;
    if (const Status there = needed(bytes, "bytes"); !there) return there;
    return hand_out(LoadedModel<float>::parse(bytes_at(bytes, size), "the bytes"), model);
  });
}

int sm_model_save(const sm_model* model, const char* path) {
  return c_call([&]() -> Status {
    if (const Status there = needed(model, "model"); !there) return there;
    if (const Status there = needed(path, "path"); !there) return there;
    return save_model(path, *model->loaded);
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
