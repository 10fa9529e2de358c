#include "kernels/cross_entropy.h"

#include <algorithm>
#include <cmath>

#include "base/result.h"

namespace schemamem {
namespace {

void check(View<const float, 2> logits, std::span<const std::int32_t> labels, std::span<const float> weights,
           View<float, 2> d_logits) {
  require(
      logits.extents() == d_logits.extents() && labels.size() == logits.extent(0) && weights.size() == logits.extent(0),
      "cross-entropy: logits and d_logits have one shape, and there is one label and one weight a row");
}

/// Calls row(t) for the rows that weigh something; the others get a zero gradient.
template <class Row>
void for_weighty_rows(std::span<const float> weights, View<float, 2> d_logits, const Row& row) {
  for (std::size_t t = 0; t < weights.size(); ++t) {
    if (weights[t] != 0) {
      row(t);
      continue;
    }
    const View<float, 1> d_row = d_logits[t];
    std::fill(d_row.begin(), d_row.end(), 0.0F);
  }
}

}  // namespace

double bitwise_cross_entropy(View<const float, 2> logits, std::span<const std::int32_t> labels,
                             std::span<const float> weights, View<float, 2> d_logits) {
  check(logits, labels, weights, d_logits);
  const std::size_t bits = logits.extent(1);
  const double share = 1.0 / static_cast<double>(bits);
  double loss = 0;
  for_weighty_rows(weights, d_logits, [&](std::size_t t) {
    const View<const float, 1> z_row = logits[t];
    const View<float, 1> d_row = d_logits[t];
    const auto label = static_cast<std::uint32_t>(labels[t]);
    const auto scale = static_cast<float>(weights[t] * share);
    float row = 0;
    for (std::size_t j = 0; j < bits; ++j) {
      const float z = z_row[j], y = static_cast<float>((label >> j) & 1U);
      const float small = std::exp(-std::abs(z));  // at most one: nothing overflows
      row += std::log1p(small) + std::max(z, 0.0F) - z * y;
      const float sigmoid = (z >= 0 ? 1.0F : small) / (1 + small);
      d_row[j] = scale * (sigmoid - y);
    }
    loss += static_cast<double>(weights[t]) * share * static_cast<double>(row);
  });
  return loss;
}

double softmax_cross_entropy(View<const float, 2> logits, std::span<const std::int32_t> labels,
                             std::span<const float> weights, View<float, 2> d_logits) {
  check(logits, labels, weights, d_logits);
  double loss = 0;
  for_weighty_rows(weights, d_logits, [&](std::size_t t) {
    const View<const float, 1> z = logits[t];
    const View<float, 1> d_row = d_logits[t];
    const auto label = static_cast<std::size_t>(labels[t]);
    require(label < z.size(), "softmax_cross_entropy: a label is one of the classes");
    const float largest = *std::max_element(z.begin(), z.end());
    double sum = 0;
    for (std::size_t j = 0; j < z.size(); ++j) {
      d_row[j] = std::exp(z[j] - largest);
      sum += static_cast<double>(d_row[j]);
    }
    const auto scale = static_cast<float>(static_cast<double>(weights[t]) / sum);
    for (float& value : d_row) value *= scale;
    d_row[label] -= weights[t];
    loss += static_cast<double>(weights[t]) *
            (std::log(sum) + static_cast<double>(largest) - static_cast<double>(z[label]));
  });
  return loss;
}

}  // namespace schemamem
