#include "models/schemamem/init.h"

#include <cmath>
#include <numbers>

#include "base/result.h"
#include "base/rng.h"

namespace schemamem {

template <class T>
void initialise_schemamem(const Layout& layout, std::string_view scheme, std::uint64_t seed, View<T, 1> weights) {
  require(scheme == "paper" || scheme == "ours" || scheme == "silent",
          "initialise: the schemes are paper, ours and silent");
  require(weights.size() == layout.size(), "initialise: one number per parameter");
  const bool paper = scheme == "paper";
  std::uint64_t index = 0;
  for (const TensorSpec& tensor : layout.tensors()) {
    const View<T, 1> values = weights.slice(tensor.offset, tensor.size);
    Rng rng = Rng::stream(seed, Purpose::kWeights, index++);  // a tensor's values do not depend on the others' sizes
    const auto ends_with = [&](std::string_view end) { return tensor.name.ends_with(end); };
    const double fan_in = 1 / std::sqrt(static_cast<double>(tensor.shape[0]));
    const bool edge = ends_with("in_proj.weight") || ends_with("out_proj.weight");
    for (T& value : values) {
      if (ends_with("norm1.weight") || ends_with("norm2.weight") || ends_with("final_norm.weight")) {
        value = 1;
      } else if (ends_with(".schema")) {
        value = static_cast<T>((2 * rng.uniform() - 1) * std::numbers::pi);
      } else if (ends_with("in_proj.bias")) {  // its fan-in is that of the input projection, the tensor before it
        const double bound = 1 / std::sqrt(static_cast<double>(layout.tensors()[0].shape[0]));
        value = static_cast<T>((2 * rng.uniform() - 1) * bound);
      } else if (scheme != "ours" && ends_with(".w_delta")) {
        value = 0;
      } else if (paper && edge) {
        value = static_cast<T>((2 * rng.uniform() - 1) * fan_in);
      } else {
        value = static_cast<T>(rng.normal() * (paper ? 0.02 : fan_in));
      }
    }
  }
}

template void initialise_schemamem<float>(const Layout&, std::string_view, std::uint64_t, View<float, 1>);
template void initialise_schemamem<double>(const Layout&, std::string_view, std::uint64_t, View<double, 1>);

}  // namespace schemamem
