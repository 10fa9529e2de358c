#include "models/schemamem/backward.h"
#include "models/schemamem/fold.h"
#include "models/schemamem/forward.h"
#include "models/schemamem/stream.h"

namespace schemamem {

template <>
SchemaMemEngine<float>* make_any_engine<SCHEMAMEM_ISA::kThisIsa, float>(const SchemaMemConfig& config) {
  return new SCHEMAMEM_ISA::Engine<float, SCHEMAMEM_ISA::AnyShape<float>>(config);
}

}  // namespace schemamem
