#pragma once

#include <memory>

#include "models/baseline/mixer.h"
#include "models/engine_choice.h"
#include "models/gated_delta_net/config.h"

namespace schemamem {

/// The Gated DeltaNet mixer of one layer; of the configuration it needs width, heads, head_dim and hidden. T is float
/// or double. Throws ContractViolation if a size is out of its range.
template <class T>
std::unique_ptr<Mixer<T>> make_gdn_mixer(const GatedDeltaNetConfig& config, EngineChoice choice = {});

}  // namespace schemamem
