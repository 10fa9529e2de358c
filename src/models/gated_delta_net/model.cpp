#include "models/gated_delta_net/model.h"

#include "models/baseline/model.h"
#include "models/checks.h"
#include "models/gated_delta_net/mixer.h"

namespace schemamem {

template <class T>
std::unique_ptr<SequenceModel<T>> make_gated_delta_net(const GatedDeltaNetConfig& config, EngineChoice choice) {
  config.check();
  return std::make_unique<BaselineModel<T>>(config_of(config), spec_of(config), make_gdn_mixer<T>(config, choice),
                                            choice);
}
template std::unique_ptr<SequenceModel<float>> make_gated_delta_net<float>(const GatedDeltaNetConfig&, EngineChoice);
template std::unique_ptr<SequenceModel<double>> make_gated_delta_net<double>(const GatedDeltaNetConfig&, EngineChoice);

}  // namespace schemamem
