#pragma once

#include "models/gated_delta_net/backward.h"
#include "models/gated_delta_net/forward.h"
#include "models/gated_delta_net/kernels.h"
#include "models/gated_delta_net/stream.h"

namespace schemamem::SCHEMAMEM_ISA {

template <class T, class Sizes>
constexpr gdn::Kernels<T> gdn_kernels() {
  return {.forward = &GdnForward<T, Sizes>::run,
          .backward = &GdnBackward<T, Sizes>::run,
          .advance = &GdnStream<T, Sizes>::run};
}

}  // namespace schemamem::SCHEMAMEM_ISA
