#include "models/gated_delta_net/table.h"

// Each pass has a source of its own (published_*.isa.cpp): what a compiler inlines depends on how much a source holds.

namespace schemamem::SCHEMAMEM_ISA {

extern template struct GdnForward<float, gdn::PublishedSizes>;
extern template struct GdnForward<double, gdn::PublishedSizes>;
extern template class GdnBackward<float, gdn::PublishedSizes>;
extern template class GdnBackward<double, gdn::PublishedSizes>;
extern template struct GdnStream<float, gdn::PublishedSizes>;
extern template struct GdnStream<double, gdn::PublishedSizes>;

}  // namespace schemamem::SCHEMAMEM_ISA

namespace schemamem::gdn {

template <>
Kernels<float> published_kernels<SCHEMAMEM_ISA::kThisIsa, float>() {
  return SCHEMAMEM_ISA::gdn_kernels<float, PublishedSizes>();
}
template <>
Kernels<double> published_kernels<SCHEMAMEM_ISA::kThisIsa, double>() {
  return SCHEMAMEM_ISA::gdn_kernels<double, PublishedSizes>();
}

}  // namespace schemamem::gdn
