#include "models/gated_delta_net/table.h"

namespace schemamem::gdn {

template <>
Kernels<float> any_kernels<SCHEMAMEM_ISA::kThisIsa, float>() {
  return SCHEMAMEM_ISA::gdn_kernels<float, AnySizes>();
}

}  // namespace schemamem::gdn
