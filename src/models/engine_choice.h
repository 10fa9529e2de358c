#pragma once

#include "kernels/isa.h"

namespace schemamem {

/// How the engine of a model is chosen.
struct EngineChoice {
  Isa isa = best_isa();
  bool general = false;  // the path for any sizes, also where the sizes are the published ones
};

}  // namespace schemamem
