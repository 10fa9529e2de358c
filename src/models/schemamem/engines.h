#pragma once

#include "models/schemamem/engine.h"

// The engines of one instruction set. The last argument only selects the scalar type.
namespace schemamem::SCHEMAMEM_ISA {

SchemaMemEngine<float>* make_paper_engine(const SchemaMemConfig& config, float scalar);
SchemaMemEngine<double>* make_paper_engine(const SchemaMemConfig& config, double scalar);
SchemaMemEngine<float>* make_any_engine(const SchemaMemConfig& config, float scalar);
SchemaMemEngine<double>* make_any_engine(const SchemaMemConfig& config, double scalar);

}  // namespace schemamem::SCHEMAMEM_ISA
