#pragma once

#include <cstdint>
#include <string_view>

#include "models/layout.h"

namespace schemamem::mamba3 {

/// The published initialisation, which both schemes ("paper" and "ours") use; stream `first_stream` + i of `seed` draws
/// the i-th tensor.
template <class T>
void initialise(const Layout& parameters, std::string_view scheme, std::uint64_t seed, std::uint64_t first_stream,
                View<T, 1> weights);

}  // namespace schemamem::mamba3
