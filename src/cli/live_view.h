#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <ostream>
#include <string>

#include "cli/console.h"
#include "train/run.h"

namespace schemamem {

/// Shows a run as it goes on: a line for each check, or, on a terminal, a small block that is drawn again in place.
class LiveView final : public RunObserver {
 public:
  LiveView(std::ostream& out, const Paint& paint, bool redraws, std::string title);

  void started(const Trainer& trainer, bool resumed) override;
  void stepped(const Trainer& trainer, const StepReport& report) override;
  void checked(const Trainer& trainer, const Stage& stage, const Check& check) override;
  void saved(std::int64_t step, double seconds) override;

  /// Leaves the block as it stands; what follows starts on a line of its own.
  void close();

 private:
  using Clock = std::chrono::steady_clock;

  void draw(const Trainer& trainer);
  std::string block(const Trainer& trainer) const;
  double steps_per_second() const;

  std::ostream& out_;
  Paint paint_;
  bool redraws_;
  std::string title_;
  StepReport last_step_;
  double loss_ = 0;  // smoothed
  Check last_check_;
  std::string checked_stage_;
  double threshold_ = 0;
  std::int64_t saved_step_ = 0;
  double saved_seconds_ = 0;
  std::deque<std::pair<Clock::time_point, std::int64_t>> pace_;  // recent (time, step)
  Clock::time_point last_draw_;
  int lines_ = 0;  // of the block on the screen
};

/// "████████░░" for 80 % at width 10; partial cells round down.
std::string bar(double percent, int width);

}  // namespace schemamem
