#pragma once

#include <memory>

#include "kernels/isa.h"
#include "models/model.h"
#include "models/schemamem/config.h"

namespace schemamem {

/// How the engine is chosen.
struct EngineChoice {
  Isa isa = best_isa();
  bool general = false;  // the path for any sizes, also where the sizes are the paper's
};

/// SchemaMem behind the common interface. Throws ContractViolation if the sizes do not fit together.
template <class T>
std::unique_ptr<SequenceModel<T>> make_schemamem(const SchemaMemConfig& config, EngineChoice choice = {});

}  // namespace schemamem
