#include "cli/live_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace schemamem {
namespace {

constexpr std::chrono::milliseconds kRedrawEvery{200};
constexpr std::size_t kPaceWindow = 400;  // steps
constexpr int kBarWidth = 24;
constexpr double kSmoothing = 0.98;

std::string minutes(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::max(0.0, std::round(seconds)));
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string score_name(const GroupScore& score) {
  return fmt::format("{} {}", info(score.asked_in.scenario).name, group_name(score.group));
}

}  // namespace

std::string bar(double percent, int width) {
  const int full = std::clamp(static_cast<int>(percent / 100 * width), 0, width);
  std::string cells;
  for (int i = 0; i < width; ++i) cells += i < full ? "█" : "░";
  return cells;
}

LiveView::LiveView(std::ostream& out, const Paint& paint, bool redraws, std::string title)
    : out_(out), paint_(paint), redraws_(redraws), title_(std::move(title)) {}

void LiveView::started(const Trainer& trainer, bool resumed) {
  const Position& at = trainer.position();
  pace_ = {{Clock::now(), at.step}};
  if (redraws_) return;
  out_ << title_ << (resumed ? fmt::format(": resumed at step {}\n", at.step) : ": started\n") << std::flush;
}

double LiveView::steps_per_second() const {
  if (pace_.size() < 2) return 0;
  const double seconds = std::chrono::duration<double>(pace_.back().first - pace_.front().first).count();
  return seconds > 0 ? static_cast<double>(pace_.back().second - pace_.front().second) / seconds : 0;
}

void LiveView::stepped(const Trainer& trainer, const StepReport& report) {
  loss_ = last_step_.step == 0 ? report.loss : kSmoothing * loss_ + (1 - kSmoothing) * report.loss;
  last_step_ = report;
  pace_.emplace_back(Clock::now(), report.step);
  if (pace_.size() > kPaceWindow) pace_.pop_front();
  if (redraws_ && Clock::now() - last_draw_ >= kRedrawEvery) draw(trainer);
}

void LiveView::checked(const Trainer& trainer, const Stage& stage, const Check& check) {
  last_check_ = check;
  checked_stage_ = stage.name;
  threshold_ = stage.threshold;
  if (redraws_) return draw(trainer);
  const Position& at = trainer.position();
  const bool passed = !trainer.passed().empty() && trainer.passed().back().step == at.step;
  out_ << fmt::format(
              "step {:>6}  {:<21} lowest {:6.2f} %{} of {:g} %  {:<9}  loss {:.4f}  gradient {:.2f}  {:.0f} steps/s\n",
              at.step, stage.name, check.lowest(), check.whole ? " " : "~", stage.threshold,
              passed ? "passed" : fmt::format("pass {}", at.passes), loss_, last_step_.gradient_norm,
              steps_per_second())
       << std::flush;
}

void LiveView::saved(std::int64_t step, double seconds) {
  saved_step_ = step;
  saved_seconds_ = seconds;
}

std::string LiveView::block(const Trainer& trainer) const {
  const Position& at = trainer.position();
  const auto& stages = trainer.curriculum().stages();
  const std::size_t shown = std::min(at.stage, stages.size() - 1);
  const std::int64_t every = trainer.setup().recipe.validation.every;
  const double pace = steps_per_second();
  const std::int64_t left =
      stages[shown].phase == Phase::kCooldown ? stages[shown].limit - at.stage_step : every - at.stage_step % every;
  std::string text = fmt::format("{}  stage {}/{}  {}\n", paint_.bold(title_), shown + 1, stages.size(),
                                 paint_.cyan(stages[shown].name));
  text += fmt::format("step {}  {:.0f} steps/s  next check in {}  passes {}/{}\n", at.step, pace,
                      pace > 0 ? minutes(static_cast<double>(left) / pace) : "?", at.passes,
                      trainer.setup().recipe.validation.passes);
  text += fmt::format("loss {:.4f}  gradient {:.2f}  rate {:.2e}\n", loss_, last_step_.gradient_norm, last_step_.rate);
  if (!checked_stage_.empty())
    text += fmt::format("last check: {}, target {:g} %{}\n", checked_stage_, threshold_,
                        last_check_.whole ? "" : " (stopped early: out of reach)");
  for (const GroupScore& score : last_check_.groups) {
    const std::string cells = bar(score.percent(), kBarWidth);
    text += fmt::format("  {:<28} {} {:6.2f} %\n", score_name(score),
                        score.percent() >= threshold_ ? paint_.green(cells) : paint_.yellow(cells), score.percent());
  }
  if (saved_step_ > 0)
    text += paint_.dim(fmt::format("last checkpoint: step {}, {:.0f} ms", saved_step_, 1e3 * saved_seconds_)) + "\n";
  return text;
}

void LiveView::draw(const Trainer& trainer) {
  const std::string text = block(trainer);
  if (lines_ > 0) out_ << fmt::format("\x1b[{}A", lines_);
  out_ << "\r\x1b[J" << text << std::flush;
  lines_ = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  last_draw_ = Clock::now();
}

void LiveView::close() { lines_ = 0; }

}  // namespace schemamem
