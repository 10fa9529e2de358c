#pragma once

// Replaces the allocation functions of a whole test program: include it in one source file only. They are not inlined,
// because GCC takes a free() that it sees next to a new for a mistake. ThreadSanitizer brings functions of its own that
// cannot be replaced: nothing is counted there.

#include <atomic>
#include <cstdlib>
#include <new>

namespace schemamem::test {

inline std::atomic<long> allocations = 0;  // the one global: operator new has no other way to report

}  // namespace schemamem::test

#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define SCHEMAMEM_TSAN
#endif
#endif

#ifndef SCHEMAMEM_TSAN
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++schemamem::test::allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  ++schemamem::test::allocations;
  const auto step = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(step, (size + step - 1) / step * step)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++schemamem::test::allocations;
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
#endif
