#include "cli/signals.h"

#include <signal.h>

#include <array>

namespace schemamem {
namespace {

static_assert(StopFlag::is_always_lock_free, "a signal handler may touch nothing else");
StopFlag requested{false};  // a handler has no other way to reach anything

constexpr std::array kSignals{SIGINT, SIGTERM, SIGUSR1};

void handle_with(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  for (const int signal : kSignals) ::sigaction(signal, &action, nullptr);
}

}  // namespace

StopOnSignal::StopOnSignal() {
  requested = false;
  handle_with([](int) { requested = true; });
}
StopOnSignal::~StopOnSignal() { handle_with(SIG_DFL); }
const StopFlag& StopOnSignal::flag() const { return requested; }

}  // namespace schemamem
