#include "api/c_call.h"
#include "base/build_info.h"
#include "catalog/find_model.h"
#include "catalog/model_files.h"
#include "catalog/places.h"

// What of the C interface reaches outside: names, paths, and the build. The rest is the same in a browser (wasm/).

using schemamem::impl::c_call;
using schemamem::impl::hand_out;
using schemamem::impl::needed;
using schemamem::impl::with_memory;
using schemamem::impl::with_stream;

using namespace schemamem;

struct sm_names {
  std::vector<std::string> names;
};

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

int sm_model_save(const sm_model* model, const char* path) {
  return c_call([&]() -> Status {
    if (const Status there = needed(model, "model"); !there) return there;
    if (const Status there = needed(path, "path"); !there) return there;
    return save_model(path, *model->loaded);
  });
}

int sm_save(const sm_memory* memory, const char* path) {
  return with_memory(memory, [&](const AddressMemory& one) -> Status {
    if (const Status there = needed(path, "path"); !there) return there;
    return save_memory(path, one);
  });
}

int sm_load(sm_memory* memory, const char* path) {
  return with_memory(memory, [&](AddressMemory& one) -> Status {
    if (const Status there = needed(path, "path"); !there) return there;
    return load_memory(path, one);
  });
}

int sm_stream_save(const sm_stream* stream, const char* path) {
  return with_stream(stream, [&](const Stream<float>& one) -> Status {
    if (const Status there = needed(path, "path"); !there) return there;
    return save_state(path, one);
  });
}

int sm_stream_load(sm_stream* stream, const char* path) {
  return with_stream(stream, [&](Stream<float>& one) -> Status {
    if (const Status there = needed(path, "path"); !there) return there;
    return load_state(path, one);
  });
}
