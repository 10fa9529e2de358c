#pragma once

#include <vector>

#include "base/result.h"
#include "kernels/isa.h"
#include "train/run_record.h"

namespace schemamem {

/// What a step of a stage takes on this machine when it does nothing else: the mean over what its steps draw, in the
/// modes that they have.
struct StageTiming {
  double step = 0;    // seconds
  double token = 0;   // the step divided by its tokens
  double serial = 0;  // seconds of the step that threads and ranks do not share: data, folding, optimiser
};

/// Real training steps, timed: of a timed stage the shortest and the longest that it draws, in each mode, the fastest
/// of `repeats` or of as many as a second has; what lies between them follows their tokens. The last stages of the
/// history and transaction phases and every one of the others are timed; the rest is like the next one that is.
Result<std::vector<StageTiming>> time_stages(const RunRequest& request, int threads, Isa isa = best_isa(),
                                             int repeats = 3);

}  // namespace schemamem
