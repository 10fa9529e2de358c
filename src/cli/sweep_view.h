#pragma once

#include <chrono>
#include <map>
#include <ostream>
#include <string>
#include <utility>

#include "cli/progress_view.h"
#include "sweep/pool.h"

namespace schemamem {

/// A row for each model and setting (and recipe, if there are several), a column for each seed.
std::string sweep_mosaic(const SweepRuns& runs, const Paint& paint);
/// One line a model: the cells of its settings side by side.
std::string small_mosaic(const SweepRuns& runs, const Paint& paint);
/// The whole sweep on one screen: a mosaic that fits a page, the runs at work and those that failed.
std::string sweep_picture(const SweepRuns& runs, const Paint& paint);
/// "about 3:10 left and then 4 evaluations"
std::string left_text(const SweepPool::Left& left);

/// Shows a pool at work: on a terminal a block that is drawn again, otherwise a line for whatever begins or ends.
class SweepView final : public PoolObserver {
 public:
  SweepView(const SweepRuns& runs, std::ostream& out, const Paint& paint, bool redraws)
      : runs_(runs), out_(out), canvas_(out), paint_(paint), redraws_(redraws) {}

  void watch(const SweepPool& pool) { pool_ = &pool; }
  void started(std::size_t cell, const std::string& work) override;
  void ended(std::size_t cell, const std::string& work, const std::string& how) override;
  void ticked() override;
  void close() { canvas_.close(); }

 private:
  using Clock = std::chrono::steady_clock;

  const SweepRuns& runs_;
  const SweepPool* pool_ = nullptr;
  std::ostream& out_;
  Canvas canvas_;
  Paint paint_;
  bool redraws_;
  std::string note_;                                                             // the last thing that ended badly
  std::map<std::size_t, std::pair<std::string, Clock::time_point>> evaluating_;  // cell -> work, since when
  Clock::time_point last_draw_;
};

}  // namespace schemamem
