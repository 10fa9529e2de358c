#include "models/mamba3/backward.h"
#include "models/mamba3/forward.h"
#include "models/mamba3/stream.h"

namespace schemamem::mamba3 {

template <>
Kernels<float> any_kernels<SCHEMAMEM_ISA::kThisIsa, float>() {
  return {.forward = SCHEMAMEM_ISA::mamba3_forward<float, AnySizes>,
          .backward = SCHEMAMEM_ISA::mamba3_backward<float, AnySizes>,
          .advance = SCHEMAMEM_ISA::mamba3_advance<float, AnySizes>};
}

}  // namespace schemamem::mamba3
