#include "system/process_identity.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <fstream>
#include <sstream>

#include "base/name.h"

namespace schemamem {
namespace {

constexpr const char* kUnknown = "unknown";

std::string first_word(const char* path) {
  std::string word;
  std::ifstream(path) >> word;
  return word.empty() ? kUnknown : word;
}

std::string own_namespace() {
  std::array<char, 64> name{};
  const ssize_t size = ::readlink("/proc/self/ns/pid", name.data(), name.size());
  return size > 0 ? std::string(name.data(), static_cast<std::size_t>(size)) : kUnknown;
}

/// What /proc says about a process.
struct Seen {
  char state = '?';
  std::uint64_t start = 0;
};
std::optional<Seen> look_at(const std::string& process) {
  std::ifstream file("/proc/" + process + "/stat");
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  // "4711 (any name, even with brackets) S ...": the fields behind the name are the state and 19 more up to the start.
  const std::size_t name = line.rfind(')');
  if (name == std::string::npos) return std::nullopt;
  std::istringstream fields(line.substr(name + 1));
  constexpr int kBetween = 18;
  Seen seen;
  std::string skipped;
  fields >> seen.state;
  for (int i = 0; i < kBetween; ++i) fields >> skipped;
  fields >> seen.start;
  return fields ? std::optional(seen) : std::nullopt;
}

}  // namespace

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0 || host.front() == '\0') return kUnknown;
  // Whatever it is called, it goes into files and messages.
  std::string name = host.data();
  for (char& letter : name) {
    if (!is_name(std::string{'x', letter})) letter = '_';
  }
  return name;
}

ProcessIdentity this_process() {
  ProcessIdentity self{.host = host_name(),
                       .boot = first_word("/proc/sys/kernel/random/boot_id"),
                       .processes = own_namespace(),
                       .process = ::getpid()};
  if (const auto seen = look_at("self")) self.start = seen->start;
  return self;
}

std::optional<bool> is_alive(const ProcessIdentity& process) {
  const ProcessIdentity self = this_process();
  const bool visible = process.host == self.host && process.boot == self.boot && process.processes == self.processes &&
                       self.boot != kUnknown && self.processes != kUnknown;
  if (!visible || process.process <= 0 || process.process > INT_MAX) return std::nullopt;
  if (const auto seen = look_at(std::to_string(process.process))) {
    const bool ended = seen->state == 'Z' || seen->state == 'X';  // nobody has asked yet how it ended
    return !ended && seen->start == process.start;
  }
  // /proc may hide the processes of other users; a signal that is not sent tells.
  return ::kill(static_cast<pid_t>(process.process), 0) == 0 || errno == EPERM;
}

}  // namespace schemamem
