#include "models/mamba3/backward.h"
#include "models/mamba3/forward.h"
#include "models/mamba3/stream.h"

namespace schemamem::mamba3 {

template <>
Kernels<double> any_kernels<SCHEMAMEM_ISA::kThisIsa, double>() {
  return {.forward = SCHEMAMEM_ISA::mamba3_forward<double, AnySizes>,
          .backward = SCHEMAMEM_ISA::mamba3_backward<double, AnySizes>,
          .advance = SCHEMAMEM_ISA::mamba3_advance<double, AnySizes>};
}

}  // namespace schemamem::mamba3
