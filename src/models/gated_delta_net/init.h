#pragma once

#include <cstdint>
#include <string_view>

#include "base/view.h"
#include "models/layout.h"

namespace schemamem::gdn {

/// "paper" is the official initialisation: projections and convolutions N(0, 0.02^2), A_log = ln U(0, 16), dt_bias =
/// softplus^-1(dt) with ln dt uniform between ln 0.001 and ln 0.1, the norm's weight one. "ours" draws projections with
/// std 1/sqrt(fan_in) and convolutions with std 0.5.
template <class T>
void initialise(const Layout& parameters, std::string_view scheme, std::uint64_t seed, std::uint64_t first_stream,
                View<T, 1> weights);

}  // namespace schemamem::gdn
