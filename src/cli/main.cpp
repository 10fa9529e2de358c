#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "cli/run_cli.h"
#include "cli/signals.h"

namespace {

std::atomic<bool> reader_gone{false};  // a handler has no other way to tell
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

int main(int argc, char** argv) {
  schemamem::hold_stop_signals();
  // A reader that goes away fails the next write, which ends a command that prints and no command that works.
  std::signal(SIGPIPE, [](int) { reader_gone = true; });
  std::ios::sync_with_stdio(false);
  const auto is_set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal != nullptr && std::string(terminal) == "dumb";
  return schemamem::run_cli(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc),
                            {.out = std::cout,
                             .err = std::cerr,
                             .out_is_terminal = isatty(STDOUT_FILENO) == 1,
                             .err_is_terminal = isatty(STDERR_FILENO) == 1,
                             .no_color = is_set("NO_COLOR") || dumb,
                             .in = &std::cin,
                             .in_is_terminal = isatty(STDIN_FILENO) == 1,
                             .reader_gone = &reader_gone});
}
