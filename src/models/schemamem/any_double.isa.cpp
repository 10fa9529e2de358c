#include "models/schemamem/backward.h"
#include "models/schemamem/fold.h"
#include "models/schemamem/forward.h"
#include "models/schemamem/stream.h"

namespace schemamem {

template <>
SchemaMemEngine<double>* make_any_engine<SCHEMAMEM_ISA::kThisIsa, double>(const SchemaMemConfig& config) {
  return new SCHEMAMEM_ISA::Engine<double, SCHEMAMEM_ISA::AnyShape<double>>(config);
}

}  // namespace schemamem
