#pragma once

#include <schemamem/c.h>

#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "memory/address_memory.h"
#include "stream/loaded_model.h"
#include "stream/stream.h"
#include "system/exit_codes.h"

namespace schemamem::impl {

/// Keeps the sentence of a failure for sm_last_error(); returns `code`.
int keep_failure(int code, const char* message) noexcept;

/// A pointer that has to point somewhere.
inline Status needed(const void* pointer, const char* name) {
  if (pointer != nullptr) return Done{};
  return Error(ErrorKind::kUsage, std::string(name) + " is NULL; expected something to point to");
}

/// What every function of the C interface is: nothing is thrown across, and a failure has a code and a sentence.
template <class Work>
int c_call(Work&& work) noexcept {
  try {
    const Status done = work();
    return done ? SM_OK : keep_failure(exit_code(done.error().kind()), done.error().message().c_str());
  } catch (const std::bad_alloc&) {
    return keep_failure(SM_FAILED, "out of memory");
  } catch (const std::logic_error& mistake) {
    return keep_failure(SM_USAGE, mistake.what());
  } catch (const std::exception& fault) {
    return keep_failure(SM_FAILED, fault.what());
  } catch (...) {
    return keep_failure(SM_FAILED, "something that is no exception was thrown");
  }
}

/// Copies bytes to a caller who said how much room there is.
inline Status copy_out(std::span<const std::byte> bytes, void* buffer, std::size_t size) {
  if (size < bytes.size()) {
    return Error(ErrorKind::kUsage, "the state takes " + std::to_string(bytes.size()) +
                                        " bytes; the buffer has room for " + std::to_string(size));
  }
  std::memcpy(buffer, bytes.data(), bytes.size());
  return Done{};
}

inline std::span<const std::byte> bytes_at(const void* bytes, std::size_t size) {
  return {static_cast<const std::byte*>(bytes), size};
}

}  // namespace schemamem::impl

struct sm_model {
  std::shared_ptr<const schemamem::LoadedModel<float>> loaded;
};
struct sm_memory {
  schemamem::AddressMemory memory;
};
struct sm_stream {
  schemamem::Stream<float> stream;
};

namespace schemamem::impl {

/// A call about a memory that has to be there, const or not.
template <class Handle, class Work>
int with_memory(Handle* memory, Work&& work) noexcept {
  return c_call([&]() -> Status {
    if (const Status there = needed(memory, "memory"); !there) return there;
    return work(memory->memory);
  });
}
/// The same about a stream.
template <class Handle, class Work>
int with_stream(Handle* stream, Work&& work) noexcept {
  return c_call([&]() -> Status {
    if (const Status there = needed(stream, "stream"); !there) return there;
    return work(stream->stream);
  });
}

/// A handle around a model that was found, or the reason why not.
inline Status hand_out(Result<std::shared_ptr<const LoadedModel<float>>> loaded, sm_model** model) {
  if (!loaded) return loaded.error();
  *model = new sm_model{std::move(loaded).value()};
  return Done{};
}

}  // namespace schemamem::impl
