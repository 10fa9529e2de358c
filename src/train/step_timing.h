#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernels/isa.h"
#include "kernels/peak.h"
#include "models/registry.h"

namespace schemamem {

struct StepRequest {
  ModelSpec model;
  std::size_t batch = 64, tokens = 400;
  int threads = 1;
  int repeats = 20;
  Isa isa = best_isa();
  bool general = false;  // the path for any sizes
};

/// A training step (forward and backward of a batch, gradients merged) and the peak of the same cores, in turn. Both
/// are the best of `repeats` and measured over the same length of time: a burst of a millisecond finds a shared machine
/// idle where a step of a quarter of a second does not, and the quotient would measure the neighbours.
struct StepTiming {
  double milliseconds = 0;
  double gigaflop = 0;         // matrix work of the step, SequenceModel::training_flops
  double gflops = 0;           // a second
  double fma_peak_gflops = 0;  // of all threads together
  double fraction_of_peak = 0;
  double tokens_per_second = 0;
  double flops_per_cycle = 0;  // of one core's peak: a possible number, or the measurement is worthless
  double gradient_error = 0;   // float against double, largest tensor
};

/// By how much the gradients of one episode in float differ from those in double; more than rounding explains is an
/// error. Whoever times a step asks this first.
Result<double> check_gradients(const StepRequest& request);

/// Refuses to time a step whose gradients differ from the same step in double.
Result<StepTiming> time_step(const StepRequest& request);
/// Whether a timing can be true: no step is faster than the peak, no peak than the hardware.
bool is_possible(const StepTiming& timing, Isa isa);
/// What `measure` says, asked up to three times until it is possible; an error if a step is faster than the peak to the
/// last: a neighbour disturbed the measurement of one of them.
Result<StepTiming> time_until_possible(Isa isa, const std::function<Result<StepTiming>()>& measure);

struct StreamTiming {
  double median_microseconds = 0;  // one token through all layers
  double p99_microseconds = 0;     // commits are in here
  double tokens_per_second = 0;
  /// The speed late in the stream over the speed of a stream that has just begun; 0 if the stream is too short to tell.
  /// A thousand tokens of each in turn, at places all along the stream, so that both see the same machine; the median.
  double late_over_early = 0;
};
/// One stream, token by token.
Result<StreamTiming> time_stream(const StepRequest& request, std::size_t tokens);

}  // namespace schemamem
