// A throw has no runtime here. What can be wrong with anything from outside is a Result, so only a mistake of ours or
// the end of memory comes this way: the page is told the sentence, and its own exception leaves the module.
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <new>
#include <typeinfo>

extern "C" {

/// Of the page: does not return.
[[noreturn, clang::import_module("env"), clang::import_name("sm_thrown")]] void sm_thrown(const char* sentence);

void* __cxa_allocate_exception(std::size_t size) noexcept {
  void* const room = std::malloc(size);
  if (room == nullptr) sm_thrown("out of memory");
  return room;
}

/// Everything that is thrown here, by us and by our libraries, is a std::exception and begins with it.
[[noreturn]] void __cxa_throw(void* thrown, std::type_info* /*type*/, void (* /*destroy*/)(void*)) {
  sm_thrown(static_cast<const std::exception*>(thrown)->what());
}

/// There is one thread, and it never ends.
int __cxa_thread_atexit(void (* /*destroy*/)(void*), void* /*object*/, void* /*module*/) noexcept { return 0; }

}  // extern "C"
