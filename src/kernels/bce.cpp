#include "kernels/bce.h"

#include <algorithm>
#include <cmath>

#include "base/result.h"

namespace schemamem {

double bitwise_bce(View<const float, 2> logits, View<const float, 2> targets, std::span<const float> weights,
                   View<float, 2> d_logits) {
  require(logits.extents() == targets.extents() && logits.extents() == d_logits.extents() &&
              weights.size() == logits.extent(0),
          "bitwise_bce: logits, targets and d_logits have one shape, and there is one weight a row");
  const std::size_t bits = logits.extent(1);
  const double share = 1.0 / static_cast<double>(bits);
  double loss = 0;
  for (std::size_t t = 0; t < logits.extent(0); ++t) {
    const View<float, 1> d_row = d_logits[t];
    if (weights[t] == 0) {
      std::fill(d_row.begin(), d_row.end(), 0.0F);
      continue;
    }
    const View<const float, 1> z_row = logits[t], y_row = targets[t];
    const auto scale = static_cast<float>(weights[t] * share);
    float row = 0;
    for (std::size_t j = 0; j < bits; ++j) {
      const float z = z_row[j], y = y_row[j];
      const float small = std::exp(-std::abs(z));  // at most one: nothing overflows
      row += std::log1p(small) + std::max(z, 0.0F) - z * y;
      const float sigmoid = (z >= 0 ? 1.0F : small) / (1 + small);
      d_row[j] = scale * (sigmoid - y);
    }
    loss += static_cast<double>(weights[t]) * share * static_cast<double>(row);
  }
  return loss;
}

}  // namespace schemamem
