#include "train/optimizer.h"

#include <algorithm>
#include <cmath>

#include "base/result.h"

namespace schemamem {

Optimizer::Optimizer(const Recipe& recipe, const Layout& layout, int threads, Isa isa)
    : recipe_(recipe), first_(layout.size()), second_(layout.size()), direction_(layout.size()) {
  std::size_t largest = 1;
  for (const TensorSpec& tensor : layout.tensors()) {
    if (tensor.role == Role::kFrozen) continue;
    Part part{.offset = tensor.offset, .size = tensor.size};
    if (recipe.optimizer.matrices == "muon" && tensor.role == Role::kMatrix) {
      part.rows = tensor.shape[0];
      part.columns = tensor.shape[1];
      largest = std::max({largest, part.rows, part.columns});
    }
    const bool is_map = tensor.role == Role::kMatrix || tensor.role == Role::kFilter || tensor.role == Role::kEdge;
    if (recipe.optimizer.decay_vectors || is_map) part.weight_decay = recipe.optimizer.weight_decay;
    parts_.push_back(part);
  }
  // Matrices first: they take longest, and threads that end together waste nothing.
  std::stable_sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) { return a.rows > b.rows; });
  for (int i = 0; i < threads; ++i) workers_.emplace_back(largest, isa);
}

void Optimizer::step(double rate, double gradient_scale, std::span<const float> gradient, ThreadPool& pool,
                     std::span<float> weights) {
  require(gradient.size() == first_.size() && weights.size() == first_.size(),
          "Optimizer::step: weights and gradient are laid out as the parameters");
  ++steps_;
  pool.run(parts_.size(), [&](std::size_t slice, int thread) {
    const Part& part = parts_[slice];
    const auto in = [&](auto flat) { return flat.subspan(part.offset, part.size); };
    if (part.rows > 0) {
      nesterov_step(recipe_.optimizer.momentum, gradient_scale, in(gradient), in(first()), in(direction_.span()));
      workers_[static_cast<std::size_t>(thread)]({direction_.data() + part.offset, {part.rows, part.columns}});
      const double scale = recipe_.optimizer.scale * std::sqrt(static_cast<double>(std::max(part.rows, part.columns)));
      directed_step(rate, part.weight_decay, scale, in(direction_.span()), in(weights));
      return;
    }
    adamw_step({.rate = rate,
                .beta1 = recipe_.optimizer.beta1,
                .beta2 = recipe_.optimizer.beta2,
                .epsilon = recipe_.optimizer.epsilon,
                .weight_decay = part.weight_decay,
                .step = steps_,
                .gradient_scale = gradient_scale},
               in(gradient), in(weights), in(first()), in(second()));
  });
}

void Optimizer::renew() {
  std::fill(first_.begin(), first_.end(), 0.0F);
  std::fill(second_.begin(), second_.end(), 0.0F);
  steps_ = 0;
}

}  // namespace schemamem
