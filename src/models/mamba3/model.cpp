#include "models/mamba3/model.h"

#include "models/baseline/model.h"
#include "models/checks.h"
#include "models/mamba3/mixer.h"

namespace schemamem {

template <class T>
std::unique_ptr<SequenceModel<T>> make_mamba3(const Mamba3Config& config, EngineChoice choice) {
  config.check();
  return std::make_unique<BaselineModel<T>>(config_of(config), spec_of(config),
                                            make_mamba3_mixer<T>(config, choice.isa, choice.general), choice);
}
template std::unique_ptr<SequenceModel<float>> make_mamba3<float>(const Mamba3Config&, EngineChoice);
template std::unique_ptr<SequenceModel<double>> make_mamba3<double>(const Mamba3Config&, EngineChoice);

}  // namespace schemamem
