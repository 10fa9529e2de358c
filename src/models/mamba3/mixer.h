#pragma once

#include <memory>

#include "kernels/isa.h"
#include "models/baseline/mixer.h"

namespace schemamem {

/// The Mamba-3 (SISO) mixer at the published sizes: 32 wide, 4 heads of 16, state 80, 2 groups of B and C, 20 rotary
/// angles. T is float or double.
template <class T>
std::unique_ptr<Mixer<T>> make_mamba3_mixer(Isa isa);

}  // namespace schemamem
