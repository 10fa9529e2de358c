#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/memory.h"
#include "kernels/isa.h"
#include "kernels/optimizer.h"
#include "models/layout.h"
#include "system/threads.h"
#include "train/recipe.h"

namespace schemamem {

/// Moves all weights by one step: AdamW, or Muon for the matrices inside layers (Role::kMatrix). Frozen tensors stay.
/// Moments share the weights' layout; Muon's momentum lies in the first.
class Optimizer {
 public:
  Optimizer(const Recipe& recipe, const Layout& layout, int threads, Isa isa);

  /// `gradient_scale` multiplies the gradient first. The bits do not depend on the number of threads. Allocates
  /// nothing.
  void step(double rate, double gradient_scale, std::span<const float> gradient, ThreadPool& pool,
            std::span<float> weights);
  /// Empty moments, as at the start.
  void renew();

  /// What a checkpoint holds.
  std::span<float> first() { return first_.span(); }
  std::span<const float> first() const { return first_.span(); }
  std::span<float> second() { return second_.span(); }
  std::span<const float> second() const { return second_.span(); }
  std::int64_t steps() const { return steps_; }
  void set_steps(std::int64_t steps) { steps_ = steps; }

 private:
  struct Part {
    std::size_t offset = 0, size = 0;
    std::size_t rows = 0, columns = 0;  // of a matrix that Muon moves; else 0
    double weight_decay = 0;
  };

  Recipe recipe_;
  std::vector<Part> parts_;
  Buffer<float> first_, second_, direction_;
  std::vector<NewtonSchulz> workers_;  // one a thread
  std::int64_t steps_ = 0;
};

}  // namespace schemamem
