#include "kernels/optimizer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/result.h"
#include "kernels/dispatch.h"

namespace schemamem {

double squared_norm(std::span<const float> values) {
  std::array<double, 8> sums{};
  std::size_t i = 0;
  for (; i + sums.size() <= values.size(); i += sums.size()) {
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const double value = values[i + k];
      sums[k] += value * value;
    }
  }
  for (std::size_t k = 0; i < values.size(); ++i, ++k) sums[k] += static_cast<double>(values[i]) * values[i];
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

void adamw_step(const AdamW& how, std::span<const float> gradient, std::span<float> weights, std::span<float> first,
                std::span<float> second) {
  const std::size_t count = weights.size();
  require(gradient.size() == count && first.size() == count && second.size() == count,
          "adamw_step: gradient, weights and moments have one length");
  require(how.step >= 1, "adamw_step: steps are counted from 1");
  const auto bias1 = 1 - std::pow(how.beta1, static_cast<double>(how.step));
  const auto bias2 = 1 - std::pow(how.beta2, static_cast<double>(how.step));
  const auto keep1 = static_cast<float>(how.beta1), take1 = static_cast<float>(1 - how.beta1);
  const auto keep2 = static_cast<float>(how.beta2), take2 = static_cast<float>(1 - how.beta2);
  const auto scale = static_cast<float>(how.gradient_scale), rate = static_cast<float>(how.rate / bias1);
  const auto shrink = static_cast<float>(1 - how.rate * how.weight_decay);
  const auto inverse_root = static_cast<float>(1 / std::sqrt(bias2)), epsilon = static_cast<float>(how.epsilon);
  const float* const __restrict g = gradient.data();
  float* const __restrict w = weights.data();
  float* const __restrict m = first.data();
  float* const __restrict v = second.data();
  for (std::size_t i = 0; i < count; ++i) {
    const float slope = scale * g[i];
    m[i] = keep1 * m[i] + take1 * slope;
    v[i] = keep2 * v[i] + take2 * slope * slope;
    w[i] = shrink * w[i] - rate * m[i] / (std::sqrt(v[i]) * inverse_root + epsilon);
  }
}

void average_step(double decay, std::span<const float> weights, std::span<float> average) {
  require(weights.size() == average.size(), "average_step: weights and average have one length");
  const auto keep = static_cast<float>(decay), take = static_cast<float>(1 - decay);
  for (std::size_t i = 0; i < weights.size(); ++i) average[i] = keep * average[i] + take * weights[i];
}

void nesterov_step(double momentum, double gradient_scale, std::span<const float> gradient, std::span<float> moment,
                   std::span<float> direction) {
  require(gradient.size() == moment.size() && direction.size() == moment.size(),
          "nesterov_step: gradient, moment and direction have one length");
  const auto mu = static_cast<float>(momentum), scale = static_cast<float>(gradient_scale);
  for (std::size_t i = 0; i < moment.size(); ++i) {
    const float slope = scale * gradient[i];
    moment[i] = mu * moment[i] + slope;
    direction[i] = slope + mu * moment[i];
  }
}

void directed_step(double rate, double weight_decay, double scale, std::span<const float> direction,
                   std::span<float> weights) {
  require(direction.size() == weights.size(), "directed_step: direction and weights have one length");
  const auto shrink = static_cast<float>(1 - rate * weight_decay), stride = static_cast<float>(rate * scale);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = shrink * weights[i] - stride * direction[i];
}

NewtonSchulz::NewtonSchulz(std::size_t largest_extent, Isa isa)
    : largest_((largest_extent + newton_schulz::kPadding - 1) / newton_schulz::kPadding * newton_schulz::kPadding),
      isa_(isa),
      scratch_(5 * largest_ * largest_) {}

void NewtonSchulz::operator()(View<float, 2> matrix) {
  require(matrix.contiguous() && matrix.extent(0) <= largest_ && matrix.extent(1) <= largest_,
          "NewtonSchulz: the matrix is contiguous and not larger than announced");
  const double norm = std::sqrt(squared_norm({matrix.data(), matrix.size()}));
  if (norm == 0) return;
  const bool flip = matrix.extent(0) > matrix.extent(1);
  const std::size_t rows = matrix.extent(flip ? 1 : 0), columns = matrix.extent(flip ? 0 : 1);
  const auto padded = [](std::size_t n) {
    return (n + newton_schulz::kPadding - 1) / newton_schulz::kPadding * newton_schulz::kPadding;
  };
  const std::size_t block = largest_ * largest_;
  float* const at = scratch_.data();
  newton_schulz::Work work{.x = at,
                           .next = at + block,
                           .x_t = at + 2 * block,
                           .gram = at + 3 * block,
                           .squared = at + 4 * block,
                           .rows = rows,
                           .columns = columns,
                           .rows_padded = padded(rows),
                           .columns_padded = padded(columns)};
  // The padding of these two; everything else is written before it is read.
  std::fill_n(work.x, rows * work.columns_padded, 0.0F);
  std::fill_n(work.x_t, columns * work.rows_padded, 0.0F);
  const auto inverse = static_cast<float>(1 / norm);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      work.x[i * work.columns_padded + j] = inverse * (flip ? matrix(j, i) : matrix(i, j));
    }
  }
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    dispatch(isa_, [&](auto isa) { newton_schulz::iterate<isa.value>(work); });
    std::swap(work.x, work.next);
  }
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j)
      (flip ? matrix(j, i) : matrix(i, j)) = work.x[i * work.columns_padded + j];
  }
}

}  // namespace schemamem
