#pragma once

#include <memory>

#include "kernels/isa.h"
#include "models/model.h"

namespace schemamem {

/// Mamba-3 (SISO) in the frame of the baselines, at the published sizes. T is float or double.
template <class T>
std::unique_ptr<SequenceModel<T>> make_mamba3(const ModelConfig& config, Isa isa);

}  // namespace schemamem
