#include "cli/sweep_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace schemamem {
namespace {

constexpr std::chrono::milliseconds kRedrawEvery{500};
/// A block that is drawn again has to fit the screen.
constexpr std::size_t kMostRows = 12;
constexpr std::size_t kSeedWidth = 7;

constexpr const char* kLegend = "█ passed  ▒ step limit  ▶ running (stage)  ‖ stopped  · waiting  ✗ failed";

std::string glyph(const RunStatus& status, const Paint& paint) {
  switch (status.state) {
    case RunState::kPassed:
      return paint.green("█");
    case RunState::kStepLimit:
      return paint.yellow("▒");
    case RunState::kRunning:
      return paint.cyan("▶");
    case RunState::kStopped:
      return paint.yellow("‖");
    case RunState::kFailed:
      return paint.red("✗");
    case RunState::kWaiting:
      break;
  }
  return paint.dim("·");
}

bool has_several_recipes(const SweepRuns& runs) {
  const auto& cells = runs.cells();
  return std::any_of(cells.begin(), cells.end(), [&](const SweepCell& cell) {
    return cell.request.recipe.name != cells.front().request.recipe.name;
  });
}

std::string row_name(const SweepRuns& runs, std::size_t cell, bool with_setting) {
  const RunRequest& request = runs.cells()[cell].request;
  std::string name = request.model.text();
  if (with_setting) name += " " + request.task->setting();
  return has_several_recipes(runs) ? request.recipe.name + " " + name : name;
}

std::vector<std::uint64_t> seeds_of(const SweepRuns& runs) {
  std::vector<std::uint64_t> seeds;
  for (const SweepCell& cell : runs.cells()) {
    if (std::find(seeds.begin(), seeds.end(), cell.request.seed) == seeds.end()) seeds.push_back(cell.request.seed);
  }
  return seeds;
}

/// Cells come by recipe, model, setting and seed: those with one name follow each other.
std::size_t row_end(const SweepRuns& runs, std::size_t begin, bool with_setting) {
  std::size_t end = begin;
  while (end < runs.cells().size() && row_name(runs, end, with_setting) == row_name(runs, begin, with_setting)) ++end;
  return end;
}

std::size_t widest_name(const SweepRuns& runs) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < runs.cells().size(); ++i) width = std::max(width, row_name(runs, i, true).size());
  return width;
}

}  // namespace

std::string sweep_mosaic(const SweepRuns& runs, const Paint& paint) {
  const std::size_t width = widest_name(runs), count = runs.cells().size();
  const std::vector<std::uint64_t> seeds = seeds_of(runs);
  std::string text = fmt::format("{:<{}}", "", width);
  for (const std::uint64_t seed : seeds) text += fmt::format("  {:<5}", fmt::format("s{}", seed));
  text = paint.dim(text) + "\n";
  for (std::size_t begin = 0; begin < count;) {
    const std::size_t end = row_end(runs, begin, true);
    text += fmt::format("{:<{}}", row_name(runs, begin, true), width);
    for (std::size_t i = begin; i < end; ++i) {
      const RunStatus& status = runs.status(i);
      const std::string stage =
          status.state == RunState::kRunning ? std::to_string(status.progress.stage_number) : std::string();
      text += "  " + glyph(status, paint) + fmt::format("{:<4}", stage);
    }
    text += "\n";
    begin = end;
  }
  return text + paint.dim(kLegend) + "\n";
}

std::string small_mosaic(const SweepRuns& runs, const Paint& paint) {
  const std::size_t width = widest_name(runs), count = runs.cells().size();
  std::string text;
  for (std::size_t begin = 0; begin < count;) {
    const std::size_t end = row_end(runs, begin, false);
    text += fmt::format("{:<{}}", row_name(runs, begin, false), width);
    std::size_t column = width;
    for (std::size_t i = begin; i < end; ++i) {
      const bool begins =
          i == begin || runs.cells()[i].request.task->setting() != runs.cells()[i - 1].request.task->setting();
      if (column + 2 > kPageWidth) {
        text += "\n" + std::string(width + 1, ' ');
        column = width + 1;
      } else if (begins) {
        text += " ";
        ++column;
      }
      text += glyph(runs.status(i), paint);
      ++column;
    }
    text += "\n";
    begin = end;
  }
  return text + paint.dim(kLegend) + "\n";
}

std::string sweep_picture(const SweepRuns& runs, const Paint& paint) {
  const std::size_t seeds = std::max<std::size_t>(1, seeds_of(runs).size());
  const bool fits = runs.cells().size() / seeds <= kMostRows && widest_name(runs) + kSeedWidth * seeds <= kPageWidth;
  std::string text = fits ? sweep_mosaic(runs, paint) : small_mosaic(runs, paint);
  std::vector<ShownRun> shown;
  for (std::size_t i = 0; i < runs.cells().size(); ++i) {
    const RunState state = runs.status(i).state;
    if (state == RunState::kRunning || state == RunState::kFailed || runs.status(i).trouble)
      shown.push_back({short_title(runs.cells()[i].request), runs.status(i)});
  }
  return shown.empty() ? text : text + run_table(shown, paint);
}

std::string left_text(const SweepPool::Left& left) {
  const auto evaluations = [](std::size_t count) {
    return fmt::format("{} evaluation{}", count, count == 1 ? "" : "s");
  };
  if (!left.seconds) return "time left not known yet";
  if (left.evaluations_not_timed == 0) return fmt::format("about {} left", clock_text(*left.seconds));
  if (*left.seconds <= 0) return evaluations(left.evaluations) + " left, not timed yet";
  return fmt::format("about {} left and then {}", clock_text(*left.seconds), evaluations(left.evaluations_not_timed));
}

void SweepView::started(std::size_t cell, const std::string& work) {
  if (work == "eval" || work == "ablate") evaluating_[cell] = {work, Clock::now()};
  if (redraws_) return;
  out_ << fmt::format("{:<7} {}\n", work, runs_.cells()[cell].name) << std::flush;
}

void SweepView::ended(std::size_t cell, const std::string& work, const std::string& how) {
  evaluating_.erase(cell);
  const RunStatus& status = runs_.status(cell);
  const std::string& name = runs_.cells()[cell].name;
  if (redraws_) {
    if (!has_ended(status.state) || how.starts_with("exit")) note_ = fmt::format("{} {}: {}", work, name, how);
    return;
  }
  const std::string took =
      has_ended(status.state) ? fmt::format("  step {}, {}", status.progress.step, clock_text(status.seconds)) : "";
  const std::string left = pool_ == nullptr ? "" : "; " + left_text(pool_->left());
  out_ << fmt::format("{:<7} {}: {}{}  ({}{})\n", work, name, how, took, counts_text(runs_.counts()), left)
       << std::flush;
}

void SweepView::ticked() {
  if (!redraws_ || Clock::now() - last_draw_ < kRedrawEvery) return;
  last_draw_ = Clock::now();
  std::string text = sweep_picture(runs_, paint_);
  for (const auto& [cell, what] : evaluating_) {
    text += fmt::format("{} of {}, {}\n", what.first, short_title(runs_.cells()[cell].request),
                        clock_text(std::chrono::duration<double>(last_draw_ - what.second).count()));
  }
  if (!note_.empty()) text += paint_.yellow(wrapped(note_));
  text += paint_.bold(wrapped(counts_text(runs_.counts())));
  canvas_.draw(pool_ == nullptr ? text : text + left_text(pool_->left()) + "\n");
}

}  // namespace schemamem
