#include "api/c_call.h"

using schemamem::impl::bytes_at;
using schemamem::impl::c_call;
using schemamem::impl::copy_out;
using schemamem::impl::needed;
using schemamem::impl::with_memory;

namespace {

using namespace schemamem;

/// An address or a value; below zero there is none, and the memory itself knows how many there are.
Result<std::size_t> number(int given, const char* what) {
  if (given >= 0) return static_cast<std::size_t>(given);
  return Error(ErrorKind::kUsage,
               std::string("there is no ") + what + " " + std::to_string(given) + "; they are numbered from 0");
}

}  // namespace

int sm_memory_new(const sm_model* model, sm_memory** memory) {
  return c_call([&]() -> Status {
    if (const Status there = needed(memory, "memory"); !there) return there;
    *memory = nullptr;
    if (const Status there = needed(model, "model"); !there) return there;
    auto made = AddressMemory::make(model->loaded);
    if (!made) return Error(made.error().kind(), made.error().message() + ". Read rows with an sm_stream instead.");
    *memory = new sm_memory{std::move(made).value()};
    return Done{};
  });
}

void sm_memory_free(sm_memory* memory) { delete memory; }

int sm_addresses(const sm_memory* memory) {
  return memory == nullptr ? 0 : static_cast<int>(memory->memory.addresses());
}
int sm_values(const sm_memory* memory) { return memory == nullptr ? 0 : static_cast<int>(memory->memory.values()); }
int64_t sm_tokens(const sm_memory* memory) { return memory == nullptr ? 0 : memory->memory.tokens(); }

int sm_set_floor(sm_memory* memory, double floor) {
  return with_memory(memory, [&](AddressMemory& one) -> Status {
    one.set_floor(floor);
    return Done{};
  });
}
double sm_floor(const sm_memory* memory) { return memory == nullptr ? 0 : memory->memory.state().floor; }

int sm_write(sm_memory* memory, int address, int value) {
  return with_memory(memory, [&](AddressMemory& one) -> Status {
    const auto place = number(address, "address"), content = number(value, "value");
    if (!place) return place.error();
    if (!content) return content.error();
    return one.write(*place, *content);
  });
}

int sm_ask(sm_memory* memory, int address, int* value, float* confidence) {
  return with_memory(memory, [&](AddressMemory& one) -> Status {
    const auto place = number(address, "address");
    if (!place) return place.error();
    const auto answer = one.ask(*place);
    if (!answer) return answer.error();
    if (value != nullptr) *value = static_cast<int>(answer->value);
    if (confidence != nullptr) *confidence = answer->confidence;
    return Done{};
  });
}

int sm_wait(sm_memory* memory, uint64_t rows) {
  return with_memory(memory, [&](AddressMemory& one) -> Status {
    one.wait(rows);
    return Done{};
  });
}

int sm_reset(sm_memory* memory) {
  return with_memory(memory, [](AddressMemory& one) -> Status {
    one.reset();
    return Done{};
  });
}

int sm_fork(const sm_memory* memory, sm_memory** other) {
  return c_call([&]() -> Status {
    if (const Status there = needed(other, "other"); !there) return there;
    *other = nullptr;
    if (const Status there = needed(memory, "memory"); !there) return there;
    *other = new sm_memory{memory->memory.fork()};
    return Done{};
  });
}

int sm_written(const sm_memory* memory, int address, int* value) {
  return with_memory(memory, [&](const AddressMemory& one) -> Status {
    if (const Status there = needed(value, "value"); !there) return there;
    const auto place = number(address, "address");
    if (!place) return place.error();
    const auto written = one.written(*place);
    if (!written) return written.error();
    *value = *written ? static_cast<int>(**written) : -1;
    return Done{};
  });
}

size_t sm_state_size(const sm_memory* memory) {
  size_t size = 0;
  with_memory(memory, [&](const AddressMemory& one) -> Status {
    size = one.encode().size();
    return Done{};
  });
  return size;
}

int sm_state_get(const sm_memory* memory, void* buffer, size_t size) {
  return with_memory(memory, [&](const AddressMemory& one) -> Status {
    if (const Status there = needed(buffer, "buffer"); !there) return there;
    return copy_out(one.encode().span(), buffer, size);
  });
}

int sm_state_set(sm_memory* memory, const void* bytes, size_t size) {
  return with_memory(memory, [&](AddressMemory& one) -> Status {
    if (const Status there = needed(bytes, "bytes"); !there) return there;
    return one.restore(bytes_at(bytes, size), "the state");
  });
}
