#include "models/mamba3/init.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/rng.h"

namespace schemamem::mamba3 {

namespace {

double uniform(Rng& rng, double limit) { return limit * (2.0 * rng.uniform() - 1.0); }

/// softplus^-1 of a step that is log-uniform in [0.001, 0.1].
double draw_step_bias(Rng& rng) {
  const double longest = std::log(0.1), shortest = std::log(0.001);
  const double step = std::max(std::exp(rng.uniform() * (longest - shortest) + shortest), 1e-4);
  return step + std::log(-std::expm1(-step));
}

double draw(const Mamba3Config& config, const std::string& tensor, Rng& rng) {
  if (tensor == "in_proj.weight") return uniform(rng, 1 / std::sqrt(static_cast<double>(config.width)));
  if (tensor == "out_proj.weight") {  // divided by the root of the number of residual branches
    return uniform(rng, 1 / std::sqrt(static_cast<double>(config.heads * config.head_dim * config.layers)));
  }
  if (tensor == "dt_bias") return draw_step_bias(rng);
  return 1;
}

}  // namespace

template <class T>
void initialise(const Mamba3Config& config, const Layout& parameters, std::string_view scheme, std::uint64_t seed,
                std::uint64_t first_stream, View<T, 1> weights) {
  require(scheme == "paper" || scheme == "ours",
          "mamba3: the initialisation is \"paper\" or \"ours\", not " + std::string(scheme));
  std::uint64_t stream = first_stream;
  for (const TensorSpec& tensor : parameters.tensors()) {
    Rng rng = Rng::stream(seed, Purpose::kWeights, stream++);
    for (T& w : weights.slice(tensor.offset, tensor.size)) w = static_cast<T>(draw(config, tensor.name, rng));
  }
}

template void initialise<float>(const Mamba3Config&, const Layout&, std::string_view, std::uint64_t, std::uint64_t,
                                View<float, 1>);
template void initialise<double>(const Mamba3Config&, const Layout&, std::string_view, std::uint64_t, std::uint64_t,
                                 View<double, 1>);

}  // namespace schemamem::mamba3
