#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/memory.h"
#include "base/view.h"
#include "kernels/isa.h"

namespace schemamem {

/// The sum of squares in double: eight partial sums, element i in sum i mod 8, added in order. The bits depend on the
/// values alone.
double squared_norm(std::span<const float> values);

/// What AdamW does to a range of parameters in one step.
struct AdamW {
  double rate = 0;
  double beta1 = 0.9, beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;
  std::int64_t step = 1;      // counted from 1 since the moments were zero
  double gradient_scale = 1;  // multiplies the gradient first: clipping
};

/// Decoupled weight decay (Loshchilov and Hutter 2019):
///   m <- b1 m + (1 - b1) g,   v <- b2 v + (1 - b2) g^2
///   w <- w - rate (weight_decay w + m / (1 - b1^step) / (sqrt(v / (1 - b2^step)) + epsilon))
/// All spans have one length.
void adamw_step(const AdamW& how, std::span<const float> gradient, std::span<float> weights, std::span<float> first,
                std::span<float> second);

/// average <- decay average + (1 - decay) weights
void average_step(double decay, std::span<const float> weights, std::span<float> average);

/// Momentum of Muon (Jordan 2024), as Nesterov does it:
///   m <- mu m + scale g,   direction = scale g + mu m
void nesterov_step(double momentum, double gradient_scale, std::span<const float> gradient, std::span<float> moment,
                   std::span<float> direction);

/// w <- w - rate (weight_decay w + scale direction)
void directed_step(double rate, double weight_decay, double scale, std::span<const float> direction,
                   std::span<float> weights);

/// Brings the singular values of a matrix near one, keeping its singular vectors (Muon):
///   X <- G / |G|;   five times  X <- a X + (b A + c A^2) X,  A = X X^T,  (a, b, c) = (3.4445, -4.7750, 2.0315)
/// applied to the transpose when G has more rows than columns. A zero matrix stays zero. Scratch is asked for once; an
/// object serves one thread.
class NewtonSchulz {
 public:
  static constexpr int kIterations = 5;

  explicit NewtonSchulz(std::size_t largest_extent, Isa isa = best_isa());

  /// `matrix` is contiguous, [rows, columns], and overwritten.
  void operator()(View<float, 2> matrix);

 private:
  std::size_t largest_;
  Isa isa_;
  Buffer<float> scratch_;
};

namespace newton_schulz {

inline constexpr std::size_t kPadding = 16;  // lanes of the widest instruction set

/// Rows of `x` are padded to `columns_padded`, rows of the squares to `rows_padded`, both with zeros.
struct Work {
  float *x, *next;        // [rows, columns_padded]
  float* x_t;             // [columns, rows_padded]
  float *gram, *squared;  // [rows, rows_padded]
  std::size_t rows, columns, rows_padded, columns_padded;
};
/// One iteration: `work.x` becomes the next X in `work.next`.
template <Isa isa>
void iterate(const Work& work);

}  // namespace newton_schulz
}  // namespace schemamem
