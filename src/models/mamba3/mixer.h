#pragma once

#include <memory>

#include "kernels/isa.h"
#include "models/baseline/mixer.h"
#include "models/mamba3/config.h"

namespace schemamem {

/// The Mamba-3 (SISO) mixer. `general` asks for the path that takes any sizes even where the published ones, known to
/// the compiler, would do; the bits are the same. T is float or double.
template <class T>
std::unique_ptr<Mixer<T>> make_mamba3_mixer(const Mamba3Config& config, Isa isa, bool general = false);

}  // namespace schemamem
