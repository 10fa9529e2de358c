#pragma once

#include "api/inside.h"

#include <schemamem/c.h>

#include <cstddef>
#include <cstring>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "system/exit_codes.h"

namespace schemamem::impl {

/// Keeps the sentence of a failure for sm_last_error(); returns `code`.
int keep_failure(int code, const char* message) noexcept;

/// A pointer that has to point somewhere.
inline inside::Status needed(const void* pointer, const char* name) {
  if (pointer != nullptr) return inside::Done{};
  return inside::Error(inside::ErrorKind::kUsage, std::string(name) + " is NULL; expected something to point to");
}

/// What every function of the C interface is: nothing is thrown across, and a failure has a code and a sentence.
template <class Work>
int c_call(Work&& work) noexcept {
  try {
    const inside::Status done = work();
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
inline inside::Status copy_out(std::span<const std::byte> bytes, void* buffer, std::size_t size) {
  if (size < bytes.size()) {
    return inside::Error(inside::ErrorKind::kUsage, "the state takes " + std::to_string(bytes.size()) +
                                                        " bytes; the buffer has room for " + std::to_string(size));
  }
  std::memcpy(buffer, bytes.data(), bytes.size());
  return inside::Done{};
}

inline std::span<const std::byte> bytes_at(const void* bytes, std::size_t size) {
  return {static_cast<const std::byte*>(bytes), size};
}

}  // namespace schemamem::impl

struct sm_model {
  std::shared_ptr<const schemamem::LoadedModel<float>> loaded;
};
struct sm_names {
  std::vector<std::string> names;
};
