#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace schemamem::test {

/// From here on every thread that this process, or what it becomes, asks for is refused, as by `ulimit -u`, which does
/// not bind the superuser that tests may run as. False if the system has no filters.
inline bool refuse_threads() {
  constexpr std::size_t kFlags = offsetof(seccomp_data, args);
  const auto load = [](std::size_t offset) {
    return sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<std::uint32_t>(offset)};
  };
  const auto answer = [](std::uint32_t action) { return sock_filter{BPF_RET | BPF_K, 0, 0, action}; };
  std::array filter{load(offsetof(seccomp_data, nr)),
                    sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_clone3},
                    answer(SECCOMP_RET_ERRNO | ENOSYS),
                    sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 1, 0, SYS_clone},
                    answer(SECCOMP_RET_ALLOW),
                    load(kFlags),
                    sock_filter{BPF_JMP | BPF_JSET | BPF_K, 0, 1, CLONE_THREAD},
                    answer(SECCOMP_RET_ERRNO | EAGAIN),
                    answer(SECCOMP_RET_ALLOW)};
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace schemamem::test
