#pragma once

#include "base/result.h"

namespace schemamem {

/// docs/formats.md, "Exit codes".
inline constexpr int kExitOk = 0;

constexpr int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kFailed:
      return 1;
    case ErrorKind::kStepLimit:
      return 2;
    case ErrorKind::kUsage:
      return 64;
    case ErrorKind::kBadData:
      return 65;
    case ErrorKind::kMissingInput:
      return 66;
    case ErrorKind::kCannotCreate:
      return 73;
    case ErrorKind::kInputOutput:
      return 74;
    case ErrorKind::kInterrupted:
      return 75;
    case ErrorKind::kNonFinite:
      return 76;
  }
  return 1;
}

}  // namespace schemamem
