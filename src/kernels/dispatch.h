#pragma once

#include <type_traits>

#include "base/result.h"
#include "kernels/isa.h"

namespace schemamem {

/// Calls make(std::integral_constant<Isa, isa>{}) for an instruction set that was compiled in: the table that turns a
/// choice made at run time into code. Factories are templates on Isa, each *.isa.cpp source specialises them for its
/// own (kThisIsa in simd.h). Asking for one that is not in available_isas() is the caller's mistake.
template <class Make>
auto dispatch(Isa isa, Make&& make) {
  switch (isa) {
#if defined(SCHEMAMEM_HAS_scalar)
    case Isa::kScalar:
      return make(std::integral_constant<Isa, Isa::kScalar>{});
#endif
#if defined(SCHEMAMEM_HAS_baseline)
    case Isa::kBaseline:
      return make(std::integral_constant<Isa, Isa::kBaseline>{});
#endif
#if defined(SCHEMAMEM_HAS_neon)
    case Isa::kNeon:
      return make(std::integral_constant<Isa, Isa::kNeon>{});
#endif
#if defined(SCHEMAMEM_HAS_avx2)
    case Isa::kAvx2:
      return make(std::integral_constant<Isa, Isa::kAvx2>{});
#endif
#if defined(SCHEMAMEM_HAS_avx512)
    case Isa::kAvx512:
      return make(std::integral_constant<Isa, Isa::kAvx512>{});
#endif
    default:
      throw ContractViolation("dispatch: this instruction set was not compiled in");
  }
}

}  // namespace schemamem
