#pragma once

#include <memory>

#include "models/engine_choice.h"
#include "models/mamba3/config.h"
#include "models/model.h"

namespace schemamem {

/// Mamba-3 (SISO) in the frame of the baselines. Throws ContractViolation if the sizes do not fit together. T is float
/// or double.
template <class T>
std::unique_ptr<SequenceModel<T>> make_mamba3(const Mamba3Config& config, EngineChoice choice);

}  // namespace schemamem
