#include "cli/live_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace schemamem {
namespace {

constexpr std::chrono::milliseconds kRedrawEvery{200};
constexpr std::size_t kPaceWindow = 400;  // steps
constexpr double kSmoothing = 0.98;

}  // namespace

LiveView::LiveView(std::ostream& out, const Paint& paint, bool redraws, const RunRequest& request)
    : out_(out), canvas_(out), paint_(paint), redraws_(redraws), title_(run_title(request)), outlook_(request) {
  progress_.passes_needed = request.recipe.recipe.validation.passes;
  progress_.slots = slots_of(request);
}

void LiveView::started(const Trainer& trainer, bool resumed) {
  const Position& at = trainer.position();
  pace_ = {{Clock::now(), at.step}};
  if (redraws_) return;
  out_ << title_ << (resumed ? fmt::format(": resumed at step {}\n", at.step) : ": started\n") << std::flush;
}

void LiveView::short_of_threads(int wanted, int found) { out_ << threads_note(wanted, found) << std::flush; }

void LiveView::warned(const std::string& what) { out_ << "warning: " << escaped(what) << "\n" << std::flush; }

double LiveView::steps_per_second() const {
  if (pace_.size() < 2) return 0;
  const double seconds = std::chrono::duration<double>(pace_.back().first - pace_.front().first).count();
  return seconds > 0 ? static_cast<double>(pace_.back().second - pace_.front().second) / seconds : 0;
}

void LiveView::place(const Trainer& trainer) {
  const Position& at = trainer.position();
  const auto& stages = trainer.curriculum().stages();
  const std::size_t shown = std::min(at.stage, stages.size() - 1);
  const std::int64_t every = trainer.setup().recipe.validation.every;
  progress_.step = at.step;
  progress_.stage = at.stage == stages.size() ? kDoneStage : stages[shown].name;
  progress_.stage_number = shown + 1;
  progress_.stages = stages.size();
  progress_.stage_step = at.stage_step;
  progress_.passes = at.passes;
  progress_.steps_per_second = steps_per_second();
  progress_.steps_to_check =
      stages[shown].phase == Phase::kCooldown ? stages[shown].limit - at.stage_step : every - at.stage_step % every;
}

void LiveView::stepped(const Trainer& trainer, const StepReport& report) {
  const bool first = progress_.rate == 0;
  progress_.loss = first ? report.loss : kSmoothing * progress_.loss + (1 - kSmoothing) * report.loss;
  progress_.gradient_norm = report.gradient_norm;
  progress_.right = report.right;
  progress_.rate = report.rate;
  pace_.emplace_back(Clock::now(), report.step);
  if (pace_.size() > kPaceWindow) pace_.pop_front();
  if (!redraws_ || Clock::now() - last_draw_ < kRedrawEvery) return;
  place(trainer);
  draw();
}

void LiveView::checked(const Trainer& trainer, const Stage& stage, const Check& check) {
  place(trainer);
  progress_.check = shown_check(*trainer.setup().task, check, stage, trainer.position().step);
  if (redraws_) return draw();
  out_ << check_line(progress_, outlook_.left(progress_)) << std::flush;
}

void LiveView::saved(std::int64_t step, double seconds) {
  progress_.checkpoint = step;
  progress_.checkpoint_seconds = seconds;
}

void LiveView::draw() {
  canvas_.draw(progress_block(title_, progress_, outlook_.left(progress_), paint_));
  last_draw_ = Clock::now();
}

}  // namespace schemamem
