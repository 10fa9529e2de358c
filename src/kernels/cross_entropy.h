#pragma once

#include <cstdint>
#include <span>

#include "base/view.h"

namespace schemamem {

/// Binary cross-entropy of the bits of a number, least significant first, with one weight w_t a row:
///   loss = sum_t w_t mean_j [ log(1 + e^{-|z|}) + max(z, 0) - z y ],   z = logits(t, j), y = bit j of labels[t]
///   d_logits(t, j) = w_t (sigmoid(z) - y) / V
/// Views are [T, V]. Rows of weight zero cost nothing and get a zero gradient, whatever their logits and labels are.
/// The sum is taken in double, in the order of the rows.
double bitwise_cross_entropy(View<const float, 2> logits, std::span<const std::int32_t> labels,
                             std::span<const float> weights, View<float, 2> d_logits);

/// Cross-entropy of one class among C, with one weight w_t a row:
///   loss = sum_t w_t [ log sum_j e^{z_j} - z_label ],   d_logits(t, j) = w_t (softmax(z)_j - [j = label])
/// The rest is as above.
double softmax_cross_entropy(View<const float, 2> logits, std::span<const std::int32_t> labels,
                             std::span<const float> weights, View<float, 2> d_logits);

}  // namespace schemamem
