#include "system/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "system/file_system.h"

namespace schemamem {
namespace {

constexpr pid_t kNone = -1;

/// Where a child's standard streams lead.
struct FileActions {
  explicit FileActions(int log) {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, log, STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions); }

  posix_spawn_file_actions_t actions;
};

/// A child begins with no signal blocked and none ignored.
struct Attributes {
  Attributes() {
    ::posix_spawnattr_init(&attributes);
    sigset_t set;
    ::sigemptyset(&set);
    ::posix_spawnattr_setsigmask(&attributes, &set);
    for (const int number : {SIGINT, SIGTERM, SIGUSR1, SIGPIPE, SIGXFSZ}) ::sigaddset(&set, number);
    ::posix_spawnattr_setsigdefault(&attributes, &set);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  ~Attributes() { ::posix_spawnattr_destroy(&attributes); }

  posix_spawnattr_t attributes;
};

}  // namespace

std::string how_it_ended(const ProcessEnd& end) {
  return end.signal != 0 ? fmt::format("ended by signal {}", end.signal) : fmt::format("exit code {}", end.code);
}

std::vector<char*> argument_pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

Status start_detached(const std::vector<std::string>& arguments) {
  require(!arguments.empty(), "start_detached: the first argument is the program's name");
  std::vector<std::string> words = arguments;
  const std::vector<char*> pointers = argument_pointers(words);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return file_error(ErrorKind::kFailed, "open", "/dev/null", -errno);
  const FileActions files(nowhere);
  Attributes attributes;
  ::posix_spawnattr_setflags(&attributes.attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  pid_t id = kNone;
  const int failed =
      ::posix_spawnp(&id, pointers.front(), &files.actions, &attributes.attributes, pointers.data(), environ);
  ::close(nowhere);
  if (failed == 0) return Done{};
  return file_error(ErrorKind::kMissingInput, "start", arguments.front(), -failed);
}

Result<Process> Process::start(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                               const std::filesystem::path& log) {
  require(!arguments.empty(), "Process::start: the first argument is the program's name");
  std::vector<std::string> words = arguments;
  const std::vector<char*> pointers = argument_pointers(words);
  const FileSystem::Outcome opened = posix_files().open(log, FileSystem::Open::kAppend);
  if (opened < 0) return file_error(ErrorKind::kCannotCreate, "open", log, opened);
  const FileActions files(static_cast<int>(opened));
  const Attributes attributes;
  pid_t id = kNone;
  const int failed =
      ::posix_spawn(&id, program.c_str(), &files.actions, &attributes.attributes, pointers.data(), environ);
  ::close(static_cast<int>(opened));
  if (failed != 0) {
    return file_error(ErrorKind::kFailed,
                      fmt::format("start `{}` (its output goes to {}) from", fmt::join(arguments, " "), log.string()),
                      program, -failed);
  }
  return Process(id);
}

Process::Process(Process&& other) noexcept : id_(std::exchange(other.id_, kNone)), end_(other.end_) {}

Process& Process::operator=(Process&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(end_, other.end_);
  return *this;
}

Process::~Process() {
  if (id_ == kNone || end_) return;
  signal(SIGTERM);
  wait();
}

std::optional<ProcessEnd> Process::reap(int options) {
  if (end_) return end_;
  int status = 0;
  pid_t reaped = 0;
  do {
    reaped = ::waitpid(id_, &status, options);
  } while (reaped < 0 && errno == EINTR);
  if (reaped == 0) return std::nullopt;
  if (reaped == id_ && WIFSIGNALED(status)) {
    end_ = ProcessEnd{.code = 0, .signal = WTERMSIG(status)};
  } else {
    constexpr int kUnknown = 255;  // somebody else took the answer
    end_ = ProcessEnd{.code = reaped == id_ ? WEXITSTATUS(status) : kUnknown, .signal = 0};
  }
  return end_;
}

std::optional<ProcessEnd> Process::end() { return reap(WNOHANG); }

ProcessEnd Process::wait() { return *reap(0); }

void Process::signal(int number) {
  if (!end()) ::kill(id_, number);
}

}  // namespace schemamem
