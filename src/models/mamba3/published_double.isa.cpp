#include "models/mamba3/backward.h"
#include "models/mamba3/forward.h"
#include "models/mamba3/stream.h"

namespace schemamem::mamba3 {

template <>
Kernels<double> published_kernels<SCHEMAMEM_ISA::kThisIsa, double>() {
  return {.forward = SCHEMAMEM_ISA::mamba3_forward<double, PublishedSizes>,
          .backward = SCHEMAMEM_ISA::mamba3_backward<double, PublishedSizes>,
          .advance = SCHEMAMEM_ISA::mamba3_advance<double, PublishedSizes>};
}

}  // namespace schemamem::mamba3
