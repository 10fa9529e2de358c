#pragma once

#include "base/threads.h"

namespace schemamem {

/// While it lives, SIGINT, SIGTERM and SIGUSR1 set a flag instead of ending the process. One at a time.
class StopOnSignal {
 public:
  StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
  ~StopOnSignal();

  const StopFlag& flag() const;
};

}  // namespace schemamem
