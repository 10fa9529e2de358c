#pragma once

// Stands before src/models/mamba3/backward.h in the module, which never trains.

#include "base/result.h"
#include "models/mamba3/kernels.h"

namespace schemamem::SCHEMAMEM_ISA {

template <class T, class S>
T mamba3_backward(const mamba3::Backward<T>&) {
  throw ContractViolation("this module only streams");
}

}  // namespace schemamem::SCHEMAMEM_ISA
