#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/result.h"
#include "memory/address_memory.h"

namespace schemamem {

/// What somebody may do to a memory to see what it depends on. The account of what was written stays.

/// Sets what a layer holds, and what waits to be committed to it, to zero; without a layer, that of all. A layer that
/// does not exist is a usage error.
Status clear_memory(AddressMemory& memory, std::optional<std::size_t> layer);

/// Adds normal noise, drawn from an addressed stream of `seed`, to everything that the memory holds: `amount` radians
/// to phases; to matrices `amount` times the root of the mean square of each. Phases that nothing was committed to yet
/// are a usage error, and so is an amount that is negative or not finite.
Status add_noise(AddressMemory& memory, double amount, std::uint64_t seed);

}  // namespace schemamem
