#include "api/access.h"

namespace schemamem::impl {
namespace {

v0::ErrorKind public_kind(inside::ErrorKind kind) {
  switch (kind) {
    case inside::ErrorKind::kFailed:
      return v0::ErrorKind::kFailed;
    case inside::ErrorKind::kStepLimit:
      return v0::ErrorKind::kStepLimit;
    case inside::ErrorKind::kUsage:
      return v0::ErrorKind::kUsage;
    case inside::ErrorKind::kBadData:
      return v0::ErrorKind::kBadData;
    case inside::ErrorKind::kMissingInput:
      return v0::ErrorKind::kMissingInput;
    case inside::ErrorKind::kCannotCreate:
      return v0::ErrorKind::kCannotCreate;
    case inside::ErrorKind::kInputOutput:
      return v0::ErrorKind::kInputOutput;
    case inside::ErrorKind::kInterrupted:
      return v0::ErrorKind::kInterrupted;
    case inside::ErrorKind::kNonFinite:
      return v0::ErrorKind::kNonFinite;
  }
  return v0::ErrorKind::kFailed;
}

}  // namespace

v0::Error public_error(const inside::Error& error) { return {public_kind(error.kind()), error.message()}; }

}  // namespace schemamem::impl
