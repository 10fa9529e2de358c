#pragma once

#include <memory>

#include "models/engine_choice.h"
#include "models/model.h"
#include "models/schemamem/config.h"

namespace schemamem {

/// SchemaMem behind the common interface. Throws ContractViolation if the sizes do not fit together.
template <class T>
std::unique_ptr<SequenceModel<T>> make_schemamem(const SchemaMemConfig& config, EngineChoice choice);

}  // namespace schemamem
