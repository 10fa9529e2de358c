#pragma once

namespace schemamem {

/// From here on this process, and any program that it becomes, can start no other process; threads it can. For helpers
/// that can be told to run commands. Safe between fork and exec. False if the system offers no way.
bool forbid_children();

}  // namespace schemamem
