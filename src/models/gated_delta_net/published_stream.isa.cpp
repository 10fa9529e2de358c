#include "models/gated_delta_net/stream.h"

namespace schemamem::SCHEMAMEM_ISA {

template struct GdnStream<float, gdn::PublishedSizes>;
template struct GdnStream<double, gdn::PublishedSizes>;

}  // namespace schemamem::SCHEMAMEM_ISA
