#include "models/gated_delta_net/model.h"

#include "models/baseline/model.h"
#include "models/gated_delta_net/mixer.h"

namespace schemamem {

template <class T>
std::unique_ptr<SequenceModel<T>> make_gated_delta_net(const ModelConfig& config, Isa isa) {
  return std::make_unique<BaselineModel<T>>(config, make_gdn_mixer<T>(isa), isa);
}
template std::unique_ptr<SequenceModel<float>> make_gated_delta_net<float>(const ModelConfig&, Isa);
template std::unique_ptr<SequenceModel<double>> make_gated_delta_net<double>(const ModelConfig&, Isa);

}  // namespace schemamem
