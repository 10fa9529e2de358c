#include "models/gated_delta_net/backward.h"

namespace schemamem::SCHEMAMEM_ISA {

template class GdnBackward<float, gdn::PublishedSizes>;
template class GdnBackward<double, gdn::PublishedSizes>;

}  // namespace schemamem::SCHEMAMEM_ISA
