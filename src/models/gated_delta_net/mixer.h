#pragma once

#include <memory>

#include "kernels/isa.h"
#include "models/baseline/mixer.h"

namespace schemamem {

/// The Gated DeltaNet mixer at the published sizes: 32 wide, 2 heads of 48, convolution over 4 tokens. T is float or
/// double.
template <class T>
std::unique_ptr<Mixer<T>> make_gdn_mixer(Isa isa);

}  // namespace schemamem
