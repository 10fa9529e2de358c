// Streams are of float: the double halves of all models, which only tests and training's checks use, stay outside.
// These definitions are preferred to the general ones, and with them all that only those reach is left out of the
// module.
#include "models/gated_delta_net/model.h"
#include "models/mamba3/model.h"
#include "models/schemamem/model.h"

namespace schemamem {

template <>
std::unique_ptr<SequenceModel<double>> make_schemamem<double>(const SchemaMemConfig&, EngineChoice) {
  return nullptr;
}
template <>
std::unique_ptr<SequenceModel<double>> make_mamba3<double>(const Mamba3Config&, EngineChoice) {
  return nullptr;
}
template <>
std::unique_ptr<SequenceModel<double>> make_gated_delta_net<double>(const GatedDeltaNetConfig&, EngineChoice) {
  return nullptr;
}

}  // namespace schemamem
