#include "models/schemamem/backward.h"
#include "models/schemamem/engines.h"
#include "models/schemamem/fold.h"
#include "models/schemamem/forward.h"
#include "models/schemamem/stream.h"

namespace schemamem::SCHEMAMEM_ISA {

SchemaMemEngine<float>* make_paper_engine(const SchemaMemConfig& config, float /*scalar*/) {
  return new Engine<float, PaperShape<float>>(config);
}

}  // namespace schemamem::SCHEMAMEM_ISA
