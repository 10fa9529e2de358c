#pragma once

#include "base/result.h"
#include "models/model_spec.h"
#include "tensors/safetensors.h"

namespace schemamem {

/// Which model a file holds the weights of: what a model file says, or, for a file that runs wrote before they wrote
/// model files (no "format" in the metadata), the published sizes of the model it names, with inputs and outputs as its
/// tensors have them. Bad data if it says neither. Whether all tensors agree is not looked at.
Result<ModelSpec> read_spec(const TensorFile& file);

}  // namespace schemamem
