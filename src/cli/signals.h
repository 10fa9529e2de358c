#pragma once

#include <signal.h>

#include "system/threads.h"

namespace schemamem {

/// Signals that ask to stop and come while the program starts wait for whoever deals with them: the first thing of
/// `main`, so that none is lost and none ends the process half-way. A parent may have held them back already.
void hold_stop_signals();
/// Lets them end the process, as they do by default.
void release_stop_signals();

/// While it lives, SIGINT, SIGTERM and SIGUSR1 set a flag instead of ending the process, also those that were held
/// back. Afterwards they are held back again, if they were. One at a time.
class StopOnSignal {
 public:
  StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
  ~StopOnSignal();

  const StopFlag& flag() const;

 private:
  sigset_t before_;  // signals that were held back
};

/// While it lives, SIGINT is the key Ctrl-C: it sets a flag, and a system call that waits ends with EINTR. Afterwards
/// it does what it did before. One at a time.
class StopOnKey {
 public:
  StopOnKey();
  StopOnKey(const StopOnKey&) = delete;
  StopOnKey& operator=(const StopOnKey&) = delete;
  ~StopOnKey();

  bool pressed() const;

 private:
  struct sigaction before_;
};

}  // namespace schemamem
