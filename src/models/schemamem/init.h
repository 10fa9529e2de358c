#pragma once

#include <cstdint>
#include <string_view>

#include "base/view.h"
#include "models/layout.h"

namespace schemamem {

/// Draws the weights. "paper": E uniform in [-pi, pi), W_Delta zero, input and output projections uniform in
/// +-1/sqrt(fan_in), other maps normal with deviation 0.02, norms one. "ours": the same E and norms, every map (W_Delta
/// included) normal with deviation 1/sqrt(fan_in).
template <class T>
void initialise_schemamem(const Layout& layout, std::string_view scheme, std::uint64_t seed, View<T, 1> weights);

}  // namespace schemamem
