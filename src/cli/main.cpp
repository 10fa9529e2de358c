#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "cli/run_cli.h"
#include "cli/signals.h"

int main(int argc, char** argv) {
  schemamem::hold_stop_signals();
  // A reader that goes away is an error of the stream, with a message and an exit code, not a silent end.
  std::signal(SIGPIPE, SIG_IGN);
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
                             .no_color = is_set("NO_COLOR") || dumb});
}
