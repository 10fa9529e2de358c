#pragma once

#include <cstdint>
#include <string_view>

#include "models/layout.h"
#include "models/mamba3/config.h"

namespace schemamem::mamba3 {

/// The published initialisation, which both schemes ("paper" and "ours") use; stream `first_stream` + i of `seed` draws
/// the i-th tensor of `parameters`.
template <class T>
void initialise(const Mamba3Config& config, const Layout& parameters, std::string_view scheme, std::uint64_t seed,
                std::uint64_t first_stream, View<T, 1> weights);

}  // namespace schemamem::mamba3
