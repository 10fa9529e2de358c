#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <ostream>
#include <string>

#include "cli/console.h"
#include "cli/progress_view.h"
#include "train/run.h"

namespace schemamem {

/// Shows a run as it goes on: a line for each check, or, on a terminal, a small block that is drawn again in place.
class LiveView final : public RunObserver {
 public:
  LiveView(std::ostream& out, const Paint& paint, bool redraws, const RunRequest& request);

  void started(const Trainer& trainer, bool resumed) override;
  void short_of_threads(int wanted, int found) override;
  void warned(const std::string& what) override;
  void stepped(const Trainer& trainer, const StepReport& report) override;
  void checked(const Trainer& trainer, const Stage& stage, const Check& check) override;
  void saved(std::int64_t step, double seconds) override;

  /// Leaves the block as it stands; what follows starts on a line of its own.
  void close() { canvas_.close(); }

 private:
  using Clock = std::chrono::steady_clock;

  /// Takes from the trainer where the run stands.
  void place(const Trainer& trainer);
  void draw();
  double steps_per_second() const;

  std::ostream& out_;
  Canvas canvas_;
  Paint paint_;
  bool redraws_;
  std::string title_;
  RunOutlook outlook_;
  RunProgress progress_;                                         // its loss is smoothed
  std::deque<std::pair<Clock::time_point, std::int64_t>> pace_;  // recent (time, step)
  Clock::time_point last_draw_;
};

}  // namespace schemamem
