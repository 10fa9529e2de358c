#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace schemamem {

/// The name that this machine gives itself; "unknown" where it gives none.
std::string host_name();

/// One process among all of all machines, as it calls itself: numbers of processes are used again, and containers on
/// one machine count their own.
struct ProcessIdentity {
  std::string host{};
  std::string boot{};        // which start of which kernel
  std::string processes{};   // the namespace in which `process` is a number
  std::int64_t process = 0;  // its number
  std::uint64_t start = 0;   // ticks of that kernel's clock when it began

  friend bool operator==(const ProcessIdentity&, const ProcessIdentity&) = default;
};

/// The calling process.
ProcessIdentity this_process();

/// Whether a process is still there. Nothing if that cannot be seen from here: it is, or may be, of another host, or in
/// a container that counts its own processes.
std::optional<bool> is_alive(const ProcessIdentity& process);

}  // namespace schemamem
