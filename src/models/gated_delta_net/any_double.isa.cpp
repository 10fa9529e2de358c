#include "models/gated_delta_net/table.h"

namespace schemamem::gdn {

template <>
Kernels<double> any_kernels<SCHEMAMEM_ISA::kThisIsa, double>() {
  return SCHEMAMEM_ISA::gdn_kernels<double, AnySizes>();
}

}  // namespace schemamem::gdn
