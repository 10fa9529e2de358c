#include "models/schemamem/backward.h"
#include "models/schemamem/engines.h"
#include "models/schemamem/fold.h"
#include "models/schemamem/forward.h"
#include "models/schemamem/stream.h"

namespace schemamem::SCHEMAMEM_ISA {

SchemaMemEngine<double>* make_paper_engine(const SchemaMemConfig& config, double /*scalar*/) {
  return new Engine<double, PaperShape<double>>(config);
}

}  // namespace schemamem::SCHEMAMEM_ISA
