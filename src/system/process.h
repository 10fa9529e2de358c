#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace schemamem {

/// How a process ended.
struct ProcessEnd {
  int code = 0;    // its exit code, when `signal` is 0
  int signal = 0;  // the signal that ended it

  friend bool operator==(const ProcessEnd&, const ProcessEnd&) = default;
};

/// "exit code 2", "ended by signal 9"
std::string how_it_ended(const ProcessEnd& end);

/// A program that was started, without a shell. It reads nothing, and what it says is appended to a file. It stays in
/// the process group of its parent, and lives on when the parent is killed.
class Process {
 public:
  /// `arguments` with the program's name first. The folder of `log` must be there; a link is not followed.
  static Result<Process> start(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                               const std::filesystem::path& log);
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  /// Asks a process that is still there to end (SIGTERM), and waits for it.
  ~Process();

  pid_t id() const { return id_; }
  /// Nothing while it runs; never waits.
  std::optional<ProcessEnd> end();
  ProcessEnd wait();
  /// To a process that has ended nothing is sent.
  void signal(int number);

 private:
  explicit Process(pid_t id) : id_(id) {}
  std::optional<ProcessEnd> reap(int options);

  pid_t id_;
  std::optional<ProcessEnd> end_;
};

/// Starts a program of PATH, its name first, without a shell, and leaves it to itself: it hears nothing, what it says
/// is lost, and it is in a session of its own. A program that is not there is a missing input.
Status start_detached(const std::vector<std::string>& arguments);

/// Arguments as exec wants them: they point into `words`, which nobody writes to.
std::vector<char*> argument_pointers(std::vector<std::string>& words);

/// The running program itself, whatever has become of its file since.
inline constexpr const char* kThisProgram = "/proc/self/exe";

}  // namespace schemamem
