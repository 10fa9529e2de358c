#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "cli/console.h"
#include "sweep/outlook.h"
#include "train/run_status.h"

namespace schemamem {

/// "████████░░" for 80 % at width 10; partial cells round down.
std::string bar(double percent, int width);
/// "3:07", "2:05:00" for hours, "?" for what is not known (negative).
std::string clock_text(double seconds);

/// "schemamem A3V3 fast seed 42"
std::string run_title(const RunRequest& request);
/// "schemamem A3V3 fast s42", for lists.
std::string short_title(const RunRequest& request);
/// "about 3:10 left, at most 1:42:00", or "0:45 left" where only a limit ends the run.
std::string left_text(const TimeLeft& left);
/// Explains in the help of a command what the views of runs show.
void explain_progress(CLI::App& command);
/// That the system gives fewer threads than were asked for, as a line.
std::string threads_note(int wanted, int found);

/// The block of one run: stage, step, pace, time to the next check and to the end, loss, gradient, rate, every group
/// beside the target, passes, slots used, last checkpoint.
std::string progress_block(const std::string& title, const RunProgress& progress, const std::optional<TimeLeft>& left,
                           const Paint& paint);
/// The same in one line, as it is printed after a check.
std::string check_line(const RunProgress& progress, const std::optional<TimeLeft>& left);

/// A run among others.
struct ShownRun {
  std::string title;
  RunStatus status;
};
/// A line each, at most a page wide unless the system's own words are wider: state, stage, step, lowest group, pace,
/// time; a title too long for its column has a line of its own, and so has why a run failed.
std::string run_table(const std::vector<ShownRun>& runs, const Paint& paint);
/// The line of a log about a run among others: title, state, stage, step, lowest group, pace, or why it failed.
std::string run_line(const std::string& title, const RunStatus& status, const Paint& paint);
/// What is damaged in the files of a run, as a line; empty if nothing is.
std::string trouble_line(const RunStatus& status);
/// The state's name in its colour, padded to the longest.
std::string state_text(RunState state, const Paint& paint);
/// "3 of 9 ended: 2 passed, 1 step-limit, 1 running, 5 waiting"
std::string counts_text(const StateCounts& counts);
nlohmann::ordered_json status_json(const RunStatus& status);
nlohmann::ordered_json counts_json(const StateCounts& counts);

/// "slots used 12.0, 30.5, 8.0 of 176", empty when none were counted.
std::string slots_text(const RunProgress& progress);

/// A block of lines that is drawn again in place.
class Canvas {
 public:
  explicit Canvas(std::ostream& out) : out_(out) {}

  void draw(const std::string& text);
  /// Leaves the block as it stands; what follows starts on a line of its own.
  void close() { lines_ = 0; }

 private:
  std::ostream& out_;
  long lines_ = 0;  // of the block on the screen
};

}  // namespace schemamem
