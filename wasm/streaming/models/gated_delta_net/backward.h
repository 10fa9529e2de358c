#pragma once

// Stands before src/models/gated_delta_net/backward.h in the module, which never trains.

#include "base/result.h"
#include "models/gated_delta_net/kernels.h"
#include "models/gated_delta_net/pointwise.h"

namespace schemamem::SCHEMAMEM_ISA {

template <class T, class Sizes>
class GdnBackward {
 public:
  static T run(const gdn::AnySizes&, const MixerBackward<T>&) { throw ContractViolation("this module only streams"); }
};

}  // namespace schemamem::SCHEMAMEM_ISA
