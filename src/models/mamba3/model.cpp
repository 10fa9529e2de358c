#include "models/mamba3/model.h"

#include "models/baseline/model.h"
#include "models/mamba3/mixer.h"

namespace schemamem {

template <class T>
std::unique_ptr<SequenceModel<T>> make_mamba3(const ModelConfig& config, Isa isa) {
  return std::make_unique<BaselineModel<T>>(config, make_mamba3_mixer<T>(isa), isa);
}
template std::unique_ptr<SequenceModel<float>> make_mamba3<float>(const ModelConfig&, Isa);
template std::unique_ptr<SequenceModel<double>> make_mamba3<double>(const ModelConfig&, Isa);

}  // namespace schemamem
