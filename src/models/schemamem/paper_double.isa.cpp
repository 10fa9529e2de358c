#include "models/schemamem/backward.h"
#include "models/schemamem/fold.h"
#include "models/schemamem/forward.h"
#include "models/schemamem/stream.h"

namespace schemamem {

template <>
SchemaMemEngine<double>* make_paper_engine<SCHEMAMEM_ISA::kThisIsa, double>(const SchemaMemConfig& config) {
  return new SCHEMAMEM_ISA::Engine<double, SCHEMAMEM_ISA::PaperShape<double>>(config);
}

}  // namespace schemamem
