#include "base/build_info.h"

#include <schemamem/version.h>

namespace schemamem {
inline namespace v0 {

std::string version() { return std::string(build_info().version); }
std::string commit() { return std::string(build_info().commit); }

}  // namespace v0
}  // namespace schemamem
