#include "campaigns/child.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "base/result.h"

namespace schemamem::campaign {

Child::Child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
             const std::filesystem::path& log, bool held) {
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t mask;
  sigemptyset(&mask);
  if (held) {
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) sigaddset(&mask, signal);
  }
  ::posix_spawnattr_setsigmask(&attributes, &mask);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  const int failed = ::posix_spawn(&id_, program.c_str(), &actions, &attributes, pointers.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  require(failed == 0, "Child: the program cannot be started");
}

Child::~Child() {
  if (end_) return;
  ::kill(id_, SIGKILL);
  ::waitpid(id_, nullptr, 0);
}

void Child::send(int signal) const {
  if (!end_) ::kill(id_, signal);
}

std::optional<End> Child::wait(std::chrono::duration<double> longest) {
  const auto until = std::chrono::steady_clock::now() + longest;
  while (!end_) {
    int status = 0;
    if (::waitpid(id_, &status, WNOHANG) == id_) {
      end_ = WIFEXITED(status) ? End{.code = WEXITSTATUS(status)} : End{.signal = WTERMSIG(status)};
    } else if (std::chrono::steady_clock::now() >= until) {
      break;
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }
  return end_;
}

}  // namespace schemamem::campaign
