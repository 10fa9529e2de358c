#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace schemamem::campaign {

/// How a process ended.
struct End {
  int code = -1;   // exit code, or -1
  int signal = 0;  // that ended it, or 0
};

/// A process of the program under test. It is killed with its object.
class Child {
 public:
  /// What it says is appended to `log`. With `held` it starts with SIGINT, SIGTERM and SIGUSR1 held back, as a careful
  /// parent starts it.
  Child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
        const std::filesystem::path& log, bool held = false);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  pid_t id() const { return id_; }
  void send(int signal) const;
  /// Waits until the process holds this signal back, or handles it; true if it holds it back.
  bool wait_for_hold(int signal, std::chrono::duration<double> longest) const;
  /// Nothing if it is still there after so long.
  std::optional<End> wait(std::chrono::duration<double> longest);

 private:
  pid_t id_ = -1;
  std::optional<End> end_;
};

}  // namespace schemamem::campaign
