#include "cli/signals.h"

#include <array>

namespace schemamem {
namespace {

static_assert(StopFlag::is_always_lock_free, "a signal handler may touch nothing else");
StopFlag requested{false};  // a handler has no other way to reach anything
StopFlag key_pressed{false};

constexpr std::array kSignals{SIGINT, SIGTERM, SIGUSR1};

void handle_with(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  for (const int signal : kSignals) ::sigaction(signal, &action, nullptr);
}

sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kSignals) sigaddset(&set, signal);
  return set;
}

}  // namespace

void hold_stop_signals() {
  const sigset_t set = stop_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

void release_stop_signals() {
  const sigset_t set = stop_signals();
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

StopOnSignal::StopOnSignal() {
  requested = false;
  handle_with([](int) { requested = true; });
  const sigset_t set = stop_signals();
  ::pthread_sigmask(SIG_UNBLOCK, &set, &before_);
}
StopOnSignal::~StopOnSignal() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  handle_with(SIG_DFL);
}
const StopFlag& StopOnSignal::flag() const { return requested; }

StopOnKey::StopOnKey() {
  key_pressed = false;
  struct sigaction action {};
  action.sa_handler = [](int) { key_pressed = true; };
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, &before_);
}
StopOnKey::~StopOnKey() { ::sigaction(SIGINT, &before_, nullptr); }
bool StopOnKey::pressed() const { return key_pressed; }

}  // namespace schemamem
