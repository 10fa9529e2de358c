#include "system/helper.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <system_error>

#include "system/no_children.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// What cannot be looked at, such as a file in a folder of another user, cannot be started either.
bool runs(const fs::path& path) {
  std::error_code unknown;
  return fs::is_regular_file(path, unknown) && ::access(path.c_str(), X_OK) == 0;
}

/// A pipe whose ends close themselves.
struct Pipe {
  Pipe() { made = ::pipe2(ends.data(), O_CLOEXEC) == 0; }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    if (!made) return;
    close_writer();
    ::close(ends[0]);
  }
  void close_writer() {
    if (ends[1] >= 0) ::close(ends[1]);
    ends[1] = -1;
  }
  std::array<int, 2> ends{-1, -1};
  bool made = false;
};

/// The end of a child that could not become the program.
[[noreturn]] void end_child() {
  for (;;) ::kill(::getpid(), SIGKILL);
}

/// Between fork and exec: only calls that are safe there.
[[noreturn]] void become(const char* program, char* const* arguments, const char* folder, bool starts_others, int out,
                         int error) {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  const int nothing = ::open("/dev/null", O_RDONLY);
  const bool placed = folder == nullptr || ::chdir(folder) == 0;
  if (!placed || nothing < 0 || ::dup2(nothing, STDIN_FILENO) < 0 || ::dup2(out, STDOUT_FILENO) < 0 ||
      ::dup2(error, STDERR_FILENO) < 0)
    end_child();
  if (!starts_others) forbid_children();
  ::execv(program, arguments);
  end_child();
}

/// Reads what comes until both pipes are closed; false if it is too much or takes too long.
bool listen(Pipe& out, Pipe& error, const HelperOptions& options, HelperEnd& heard) {
  const Clock::time_point deadline = Clock::now() + options.patience;
  std::array<pollfd, 2> open{pollfd{out.ends[0], POLLIN, 0}, pollfd{error.ends[0], POLLIN, 0}};
  const std::array<std::string*, 2> texts{&heard.out, &heard.error};
  std::array<char, 4096> piece{};
  while (open[0].fd >= 0 || open[1].fd >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    if (::poll(open.data(), open.size(), static_cast<int>(left)) < 0 && errno != EINTR) return false;
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (open[i].fd < 0 || open[i].revents == 0) continue;
      const ssize_t size = ::read(open[i].fd, piece.data(), piece.size());
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) {
        open[i].fd = -1;
        continue;
      }
      texts[i]->append(piece.data(), static_cast<std::size_t>(size));
      if (heard.out.size() + heard.error.size() > options.most) return false;
    }
  }
  return true;
}

}  // namespace

std::optional<fs::path> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return runs(name) ? std::optional(fs::absolute(name)) : std::nullopt;
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const fs::path candidate = fs::path(folder.empty() ? "." : folder) / name; runs(candidate))
      return fs::absolute(candidate);
  return std::nullopt;
}

Result<HelperEnd> run_helper(const fs::path& program, const std::vector<std::string>& arguments,
                             const HelperOptions& options) {
  Pipe out, error;
  if (!out.made || !error.made) return Error(ErrorKind::kFailed, "cannot make a pipe to " + program.string());
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::vector<char*> pointers = argument_pointers(words);
  const char* const folder = options.folder.empty() ? nullptr : options.folder.c_str();
  const pid_t child = ::fork();
  if (child < 0) return Error(ErrorKind::kFailed, "cannot start " + program.string());
  if (child == 0) become(program.c_str(), pointers.data(), folder, options.starts_others, out.ends[1], error.ends[1]);
  out.close_writer();
  error.close_writer();
  HelperEnd heard;
  const bool ended = listen(out, error, options, heard);
  if (!ended) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!ended) {
    return Error(ErrorKind::kFailed,
                 heard.out.size() + heard.error.size() > options.most
                     ? fmt::format("{} said more than {} bytes and was ended", program.string(), options.most)
                     : fmt::format("{} gave no answer within {} s and was ended", program.string(),
                                   std::chrono::duration<double>(options.patience).count()));
  }
  heard.end = WIFSIGNALED(status) ? ProcessEnd{.code = 0, .signal = WTERMSIG(status)}
                                  : ProcessEnd{.code = WEXITSTATUS(status), .signal = 0};
  return heard;
}

}  // namespace schemamem
