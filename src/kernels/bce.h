#pragma once

#include <span>

#include "base/view.h"

namespace schemamem {

/// Binary cross-entropy of bits, with one weight w_t a row:
///   loss = sum_t w_t mean_j [ log(1 + e^{-|z|}) + max(z, 0) - z y ],   z = logits(t, j), y = targets(t, j)
///   d_logits(t, j) = w_t (sigmoid(z) - y) / V
/// All views are [T, V]. Rows of weight zero cost nothing and get a zero gradient, whatever their logits are.
/// The sum is taken in double, in the order of the rows.
double bitwise_bce(View<const float, 2> logits, View<const float, 2> targets, std::span<const float> weights,
                   View<float, 2> d_logits);

}  // namespace schemamem
