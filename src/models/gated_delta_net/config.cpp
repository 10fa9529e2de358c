#include "models/gated_delta_net/config.h"

#include "models/gated_delta_net/sizes.h"

namespace schemamem {

static_assert(GatedDeltaNetConfig::kMostHeads <= gdn::AnySizes::kMostHeads &&
              GatedDeltaNetConfig::kMostHeadDim <= gdn::AnySizes::kMostHead);

void GatedDeltaNetConfig::check() const { check_fields(*this); }

}  // namespace schemamem
