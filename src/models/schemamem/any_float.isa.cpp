#include "models/schemamem/backward.h"
#include "models/schemamem/engines.h"
#include "models/schemamem/fold.h"
#include "models/schemamem/forward.h"
#include "models/schemamem/stream.h"

namespace schemamem::SCHEMAMEM_ISA {

SchemaMemEngine<float>* make_any_engine(const SchemaMemConfig& config, float /*scalar*/) {
  return new Engine<float, AnyShape<float>>(config);
}

}  // namespace schemamem::SCHEMAMEM_ISA
