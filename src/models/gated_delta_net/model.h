#pragma once

#include <memory>

#include "models/engine_choice.h"
#include "models/gated_delta_net/config.h"
#include "models/model.h"

namespace schemamem {

/// Gated DeltaNet in the frame of the baselines. T is float or double. Throws ContractViolation if a size is out of its
/// range.
template <class T>
std::unique_ptr<SequenceModel<T>> make_gated_delta_net(const GatedDeltaNetConfig& config, EngineChoice choice = {});

}  // namespace schemamem
