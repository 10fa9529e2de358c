#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/run_cli.h"
#include "cli/signals.h"
#include "cli/standard_streams.h"
#include "launch/job.h"
#include "system/exit_codes.h"

namespace {

/// The last word when an exception has nowhere to go: memory that ran out in a destructor (those of JSON values ask for
/// some), or before anything could be caught. Files are whole or absent at any instant, so that to leave is safe.
[[noreturn]] void end_with_a_message() noexcept {
  std::string_view message = "error: Internal error: an exception that nobody expected. Please report it.\n";
  try {
    if (const std::exception_ptr fault = std::current_exception()) std::rethrow_exception(fault);
  } catch (const std::bad_alloc&) {
    message = "error: Out of memory.\n";
  } catch (...) {
  }
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, message.data(), message.size());
  ::_exit(schemamem::exit_code(schemamem::ErrorKind::kFailed));
}

std::atomic<bool> reader_gone{false};  // a handler has no other way to tell
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

int main(int argc, char** argv) {
  std::set_terminate(&end_with_a_message);
  if (!schemamem::occupy_standard_streams()) return schemamem::exit_code(schemamem::ErrorKind::kInputOutput);
  schemamem::hold_stop_signals();
  // A reader that goes away fails the next write, which ends a command that prints and no command that works.
  std::signal(SIGPIPE, [](int) { reader_gone = true; });
  // A file that may not grow any more (ulimit -f) is an error of that file.
  std::signal(SIGXFSZ, SIG_IGN);
  std::ios::sync_with_stdio(false);
  const auto is_set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  std::vector<std::string> arguments;
  try {
    arguments.assign(argv + (argc > 0 ? 1 : 0), argv + argc);
  } catch (const std::bad_alloc&) {
    return schemamem::exit_code(schemamem::ErrorKind::kFailed);
  }
  const auto job = schemamem::join_job();
  return schemamem::run_cli(std::move(arguments), {.out = std::cout,
                                                   .err = std::cerr,
                                                   .out_is_terminal = isatty(STDOUT_FILENO) == 1,
                                                   .err_is_terminal = isatty(STDERR_FILENO) == 1,
                                                   .no_color = is_set("NO_COLOR") || dumb,
                                                   .in = &std::cin,
                                                   .in_is_terminal = isatty(STDIN_FILENO) == 1,
                                                   .reader_gone = &reader_gone,
                                                   .ranks = job->ranks(),
                                                   .end_all = [&](int code) { job->end_all(code); }});
}
