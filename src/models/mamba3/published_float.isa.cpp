#include "models/mamba3/backward.h"
#include "models/mamba3/forward.h"
#include "models/mamba3/stream.h"

namespace schemamem::mamba3 {

template <>
Kernels<float> published_kernels<SCHEMAMEM_ISA::kThisIsa, float>() {
  return {.forward = SCHEMAMEM_ISA::mamba3_forward<float, PublishedSizes>,
          .backward = SCHEMAMEM_ISA::mamba3_backward<float, PublishedSizes>,
          .advance = SCHEMAMEM_ISA::mamba3_advance<float, PublishedSizes>};
}

}  // namespace schemamem::mamba3
