#pragma once

#include "models/gated_delta_net/sizes.h"

namespace schemamem::gdn {

/// Merges, transposes and pads the official weights (sizes: Weights, Folded).
template <class T>
void fold(const AnySizes& s, const T* weights, T* folded);
/// The official gradient from the merged one (sizes: Shard, Weights).
template <class T>
void unfold(const AnySizes& s, const T* shard, T* d_weights);

}  // namespace schemamem::gdn
