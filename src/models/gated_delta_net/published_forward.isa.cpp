#include "models/gated_delta_net/forward.h"

namespace schemamem::SCHEMAMEM_ISA {

template struct GdnForward<float, gdn::PublishedSizes>;
template struct GdnForward<double, gdn::PublishedSizes>;

}  // namespace schemamem::SCHEMAMEM_ISA
