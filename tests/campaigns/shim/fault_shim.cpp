// Preloaded into the program under test (LD_PRELOAD): one call of one kind fails, the k-th since main began.
//
//   SCHEMAMEM_FAULT=write:17    the 17th write (from 0) fails
//   SCHEMAMEM_FAULT_COUNTS=F    at the end the numbers of calls of all kinds are written to F, a line a kind
//
// Children of the program are left alone.

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

enum Kind { kOpen, kRead, kWrite, kSync, kRename, kTruncate, kRemove, kFolder, kStat, kThread, kAllocation, kKinds };
constexpr const char* kNames[kKinds] = {"open",   "read",   "write", "sync",   "rename",    "truncate",
                                        "remove", "folder", "stat",  "thread", "allocation"};
constexpr int kErrors[kKinds] = {EIO, EIO, ENOSPC, EIO, EIO, EIO, EIO, ENOSPC, EIO, EAGAIN, ENOMEM};

std::atomic<bool> armed{false};
std::atomic<long> counts[kKinds];
int failing_kind = kKinds;
long failing_call = -1;
char counts_file[4096];

/// Counts a call; true if it is the one that fails.
bool fails(Kind kind) {
  if (!armed.load(std::memory_order_relaxed)) return false;
  const long number = counts[kind].fetch_add(1);
  if (kind != failing_kind || number != failing_call) return false;
  errno = kErrors[kind];
  return true;
}

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

void write_counts() {
  armed = false;
  if (counts_file[0] == '\0') return;
  const long file = ::syscall(SYS_openat, AT_FDCWD, counts_file, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  for (int kind = 0; kind < kKinds; ++kind) {
    char line[64];
    const int length = std::snprintf(line, sizeof line, "%s %ld\n", kNames[kind], counts[kind].load());
    ::syscall(SYS_write, file, line, length);
  }
  ::syscall(SYS_close, file);
}

using Main = int (*)(int, char**, char**);
Main real_main = nullptr;

int armed_main(int argc, char** argv, char** environment) {
  if (const char* fault = std::getenv("SCHEMAMEM_FAULT")) {
    const char* colon = std::strchr(fault, ':');
    for (int kind = 0; colon != nullptr && kind < kKinds; ++kind) {
      const auto length = static_cast<std::size_t>(colon - fault);
      if (std::strlen(kNames[kind]) == length && std::strncmp(kNames[kind], fault, length) == 0) failing_kind = kind;
    }
    if (colon != nullptr) failing_call = std::atol(colon + 1);
  }
  if (const char* file = std::getenv("SCHEMAMEM_FAULT_COUNTS"))
    std::snprintf(counts_file, sizeof counts_file, "%s", file);
  ::unsetenv("LD_PRELOAD");
  armed = true;
  const int code = real_main(argc, argv, environment);
  write_counts();
  return code;
}

/// Memory as operator new must give it: aligned, never null.
void* allocate(std::size_t size, std::size_t alignment) {
  if (fails(kAllocation)) throw std::bad_alloc();
  const bool plain = alignment <= alignof(std::max_align_t);
  void* memory = plain ? std::malloc(size == 0 ? 1 : size)
                       : std::aligned_alloc(alignment, (size + alignment) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

extern "C" {

int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(), void (*rtld_fini)(),
                      void* stack) {
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  real_main = main;
  return real<Start>("__libc_start_main")(&armed_main, argc, argv, init, fini, rtld_fini, stack);
}

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  if (fails(kOpen)) return -1;
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
int open64(const char* path, int flags, ...) __attribute__((alias("open")));
int openat(int folder, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  if (fails(kOpen)) return -1;
  return static_cast<int>(::syscall(SYS_openat, folder, path, flags, mode));
}
int openat64(int folder, const char* path, int flags, ...) __attribute__((alias("openat")));
DIR* opendir(const char* path) {
  if (fails(kOpen)) return nullptr;
  return real<DIR* (*)(const char*)>("opendir")(path);
}
ssize_t read(int file, void* bytes, std::size_t size) {
  if (fails(kRead)) return -1;
  return ::syscall(SYS_read, file, bytes, size);
}
ssize_t write(int file, const void* bytes, std::size_t size) {
  if (fails(kWrite)) return -1;
  return ::syscall(SYS_write, file, bytes, size);
}
int fsync(int file) {
  if (fails(kSync)) return -1;
  return static_cast<int>(::syscall(SYS_fsync, file));
}
int rename(const char* from, const char* to) {
  if (fails(kRename)) return -1;
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
int ftruncate(int file, off_t size) {
  if (fails(kTruncate)) return -1;
  return static_cast<int>(::syscall(SYS_ftruncate, file, size));
}
int ftruncate64(int file, off_t size) __attribute__((alias("ftruncate")));
int remove(const char* path) {
  if (fails(kRemove)) return -1;
  return real<int (*)(const char*)>("remove")(path);
}
int mkdir(const char* path, mode_t mode) {
  if (fails(kFolder)) return -1;
  return static_cast<int>(::syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}
int stat(const char* path, struct stat* status) {
  if (fails(kStat)) return -1;
  return real<int (*)(const char*, struct stat*)>("stat")(path, status);
}
int lstat(const char* path, struct stat* status) {
  if (fails(kStat)) return -1;
  return real<int (*)(const char*, struct stat*)>("lstat")(path, status);
}
int fstat(int file, struct stat* status) {
  if (fails(kStat)) return -1;
  return real<int (*)(int, struct stat*)>("fstat")(file, status);
}
int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*work)(void*), void* with) {
  if (fails(kThread)) return EAGAIN;
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  return real<Create>("pthread_create")(thread, how, work, with);
}
int posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* how,
                char* const arguments[], char* const environment[]) {
  if (fails(kThread)) return EAGAIN;
  using Spawn = int (*)(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*, char* const[],
                        char* const[]);
  return real<Spawn>("posix_spawn")(child, path, actions, how, arguments, environment);
}

}  // extern "C"

void* operator new(std::size_t size) { return allocate(size, 1); }
void* operator new[](std::size_t size) { return allocate(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return fails(kAllocation) ? nullptr : std::malloc(size == 0 ? 1 : size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return fails(kAllocation) ? nullptr : std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
