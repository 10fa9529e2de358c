#include "models/gated_delta_net/init.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/rng.h"

namespace schemamem::gdn {

namespace {

double draw_log_rate(Rng& rng) { return std::log(16.0 * std::max(rng.uniform(), 0x1p-53)); }

double draw_step_bias(Rng& rng) {
  const double longest = std::log(0.1), shortest = std::log(0.001);
  const double step = std::max(std::exp(rng.uniform() * (longest - shortest) + shortest), 1e-4);
  return step + std::log(-std::expm1(-step));
}

}  // namespace

template <class T>
void initialise(const Layout& parameters, std::string_view scheme, std::uint64_t seed, std::uint64_t first_stream,
                View<T, 1> weights) {
  const bool paper = scheme == "paper";
  require(paper || scheme == "ours", "gdn: the initialisation is \"paper\" or \"ours\", not " + std::string(scheme));
  std::uint64_t stream = first_stream;
  for (const TensorSpec& tensor : parameters.tensors()) {
    Rng rng = Rng::stream(seed, Purpose::kWeights, stream++);
    for (T& w : weights.slice(tensor.offset, tensor.size)) {
      if (tensor.name == "o_norm.weight") {
        w = T(1);
      } else if (tensor.name == "A_log") {
        w = static_cast<T>(draw_log_rate(rng));
      } else if (tensor.name == "dt_bias") {
        w = static_cast<T>(draw_step_bias(rng));
      } else {
        const bool convolution = tensor.shape.size() == 3;
        const double ours = convolution ? 0.5 : 1.0 / std::sqrt(static_cast<double>(tensor.shape.back()));
        w = static_cast<T>(rng.normal() * (paper ? 0.02 : ours));
      }
    }
  }
}

template void initialise<float>(const Layout&, std::string_view, std::uint64_t, std::uint64_t, View<float, 1>);
template void initialise<double>(const Layout&, std::string_view, std::uint64_t, std::uint64_t, View<double, 1>);

}  // namespace schemamem::gdn
