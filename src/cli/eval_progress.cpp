#include "cli/eval_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/live_view.h"
#include "cli/progress_view.h"

namespace schemamem {
namespace {

constexpr std::chrono::milliseconds kRedrawEvery{200};
constexpr std::chrono::seconds kLineEvery{20};
constexpr int kBarWidth = 24;

}  // namespace

EvalProgress::EvalProgress(std::ostream& out, bool redraws, std::int64_t total_tokens)
    : out_(out), redraws_(redraws), total_(total_tokens), started_(Clock::now()), drawn_(started_) {}

EvalProgress::~EvalProgress() { close(); }

void EvalProgress::begin(const std::string& subject) {
  const std::lock_guard lock(mutex_);
  subject_ = subject;
}

std::string EvalProgress::line(Clock::time_point at) const {
  const double seconds = std::chrono::duration<double>(at - started_).count();
  const double share = static_cast<double>(done_) / static_cast<double>(std::max<std::int64_t>(1, total_));
  const double speed = seconds > 0 ? static_cast<double>(done_) / seconds : 0;
  const std::string left = share > 0 ? clock_text(std::max(0.0, seconds / share - seconds)) : "?";
  return fmt::format("{}{:5.1f} %  {} left  {:.0f} k tokens/s  {}", redraws_ ? bar(100 * share, kBarWidth) + " " : "",
                     100 * share, left, 1e-3 * speed, subject_);
}

void EvalProgress::advanced(std::int64_t tokens) {
  const std::lock_guard lock(mutex_);
  done_ += tokens;
  const Clock::time_point now = Clock::now();
  if (now - drawn_ < (redraws_ ? Clock::duration(kRedrawEvery) : Clock::duration(kLineEvery))) return;
  drawn_ = now;
  if (redraws_) {
    out_ << "\r\x1b[K" << line(now) << std::flush;
    on_screen_ = true;
  } else {
    out_ << "evaluating: " << line(now) << '\n' << std::flush;
  }
}

void EvalProgress::short_of_threads(int wanted, int found) {
  close();
  out_ << threads_note(wanted, found) << std::flush;
}

void EvalProgress::close() {
  const std::lock_guard lock(mutex_);
  if (on_screen_) out_ << "\r\x1b[K" << std::flush;
  on_screen_ = false;
}

}  // namespace schemamem
