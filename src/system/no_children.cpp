#include "system/no_children.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace schemamem {
namespace {

constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kForbid = SECCOMP_RET_ERRNO | EPERM;
/// The flags of clone3 lie behind a pointer, where a filter cannot look; libraries go on with clone.
constexpr std::uint32_t kUnknown = SECCOMP_RET_ERRNO | ENOSYS;

constexpr sock_filter load(std::size_t offset) {
  return {BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<std::uint32_t>(offset)};
}
constexpr sock_filter answer(std::uint32_t action) { return {BPF_RET | BPF_K, 0, 0, action}; }
/// Goes on with the next line for this call, and skips it for any other.
constexpr sock_filter only_for(std::uint32_t call) { return {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, call}; }

/// A filter of system calls by their numbers. It binds a program that was compiled for this machine and asks its C
/// library for processes; it is no cage for foreign machine code.
bool filter_calls() {
  constexpr std::size_t kFlags = offsetof(seccomp_data, args);  // the low half, on the little-endian machines we know
  std::array filter{load(offsetof(seccomp_data, nr)),
#ifdef SYS_fork  // newer architectures have only clone
                    only_for(SYS_fork),
                    answer(kForbid),
                    only_for(SYS_vfork),
                    answer(kForbid),
#endif
                    only_for(SYS_clone3),
                    answer(kUnknown),
                    sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 1, 0, SYS_clone},
                    answer(kAllow),
                    load(kFlags),
                    sock_filter{BPF_JMP | BPF_JSET | BPF_K, 0, 1, CLONE_THREAD},
                    answer(kAllow),
                    answer(kForbid)};
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace

bool forbid_children() {
  if (filter_calls()) return true;
  // Without filters a limit does for everybody but the superuser, who is above it; it counts threads, too.
  const rlimit none{0, 0};
  return ::setrlimit(RLIMIT_NPROC, &none) == 0;
}

}  // namespace schemamem
