#pragma once

#include "base/result.h"
#include "cli/console.h"

namespace schemamem {

/// Version, commit, instruction set and compiler.
Status print_version(Console& console);

}  // namespace schemamem
