#pragma once

#include <optional>
#include <vector>

#include "train/run_status.h"

namespace schemamem {

/// Seconds until a run ends, by its pace.
struct TimeLeft {
  double expected = 0;  // by the steps that such runs take (cost.h, `expected_steps`)
  double most = 0;      // by the limits of its stages; the same where nothing but a limit ends a stage
};

/// What is known of a run's remaining stages before they begin.
class RunOutlook {
 public:
  explicit RunOutlook(const RunRequest& request);

  /// Nothing while the pace is not known. A step of a later stage costs as much more than one of this as it has work.
  std::optional<TimeLeft> left(const RunProgress& progress) const;

 private:
  struct Part {
    double expected = 0, limit = 0;  // steps
    double work = 0;                 // flops of a step
    bool fixed = false;              // it ends at its limit and nowhere else
  };
  std::vector<Part> parts_;  // of the stages
  double every_ = 0;         // steps between two checks
};

}  // namespace schemamem
