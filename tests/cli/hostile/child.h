#pragma once

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/result.h"
#include "support/program.h"

namespace schemamem::test {

/// The most that a command may have on a stranger's folder: 5 s, and more where others keep the processors busy.
inline std::chrono::duration<double> longest() {
  double load = 0;
  const auto processors = static_cast<double>(std::max(1U, std::thread::hardware_concurrency()));
  return std::chrono::duration<double>(5.0 * (::getloadavg(&load, 1) == 1 ? std::max(1.0, load / processors) : 1.0));
}
inline constexpr rlim_t kMostMemory = rlim_t{1} << 30;   // of addresses
inline constexpr rlim_t kLongestFile = rlim_t{1} << 26;  // that it may write
inline constexpr uid_t kNobody = 65534;

struct Ending {
  int code = -1;
  int signal = 0;
  bool late = false;     // it had to be killed
  bool stopped = false;  // it was asked to stop, and did
  std::string out, err;
};

/// The program in a process of its own, in a folder, with little memory and, if asked for, as a user without rights.
/// Its output goes to files beside that folder.
class LimitedChild {
 public:
  LimitedChild(const std::vector<std::string>& arguments, const std::filesystem::path& in, bool as_nobody = false,
               const std::filesystem::path& program = SCHEMAMEM_PROGRAM)
      : out_(in.string() + ".out"), err_(in.string() + ".err"), begun_(std::chrono::steady_clock::now()) {
    std::vector<std::string> words{"schemamem"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    id_ = ::fork();
    require(id_ >= 0, "LimitedChild: no process can be started");
    if (id_ != 0) return;
    const auto redirect = [](const char* path, int flags, int onto) { ::dup2(::open(path, flags, 0666), onto); };
    redirect("/dev/null", O_RDONLY, 0);
    redirect(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 1);
    redirect(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 2);
    const rlimit memory{kMostMemory, kMostMemory}, file{kLongestFile, kLongestFile}, none{0, 0};
    ::setrlimit(RLIMIT_FSIZE, &file);
    ::setrlimit(RLIMIT_AS, &memory);
    ::setrlimit(RLIMIT_CORE, &none);
    const bool ready =
        ::chdir(in.c_str()) == 0 &&
        (!as_nobody || (::setgroups(0, nullptr) == 0 && ::setgid(kNobody) == 0 && ::setuid(kNobody) == 0));
    if (ready) ::execv(program.c_str(), argv.data());
    ::_exit(127);
  }
  LimitedChild(const LimitedChild&) = delete;
  LimitedChild& operator=(const LimitedChild&) = delete;

  pid_t id() const { return id_; }

  /// Who works on request is asked to stop `after` so long; whoever is still there when its time is over is killed.
  Ending wait(std::optional<std::chrono::duration<double>> after = std::nullopt) {
    Ending end;
    int status = 0;
    std::chrono::microseconds nap{200};
    while (::waitpid(id_, &status, WNOHANG) == 0) {
      const std::chrono::duration<double> since = std::chrono::steady_clock::now() - begun_;
      if (after && since > *after && !std::exchange(end.stopped, true)) ::kill(id_, SIGTERM);
      if (since > longest() + after.value_or(std::chrono::seconds(0))) {
        end.late = true;
        ::kill(id_, SIGKILL);
        ::waitpid(id_, &status, 0);
        break;
      }
      std::this_thread::sleep_for(nap);
      nap = std::min(nap * 2, std::chrono::microseconds(5000));
    }
    if (WIFEXITED(status)) end.code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
    end.out = text_of(out_);
    end.err = text_of(err_);
    return end;
  }

 private:
  std::filesystem::path out_, err_;
  std::chrono::steady_clock::time_point begun_;
  pid_t id_ = -1;
};

}  // namespace schemamem::test
