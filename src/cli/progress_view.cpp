#include "cli/progress_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"

namespace schemamem {
namespace {

constexpr int kBarWidth = 24;
/// The widest title beside the numbers of `run_table`.
constexpr std::size_t kWidestTitle = 26;
constexpr std::array kStates{RunState::kPassed,  RunState::kStepLimit, RunState::kRunning,
                             RunState::kStopped, RunState::kWaiting,   RunState::kFailed};

/// "99.87 %"; "~42.71 %" of a check that ended early.
std::string lowest_text(const ShownCheck& check) {
  return fmt::format("{}{:.2f} %", check.whole ? "" : "~", check.lowest);
}

/// "  carried 92.1 %", nothing where no states are carried.
std::string carried_text(const RunProgress& progress) {
  return progress.right ? fmt::format("  carried {:.1f} %", 100 * *progress.right) : "";
}

}  // namespace

std::string bar(double percent, int width) {
  const int full = std::clamp(static_cast<int>(percent / 100 * width), 0, width);
  std::string cells;
  for (int i = 0; i < width; ++i) cells += i < full ? "█" : "░";
  return cells;
}

std::string clock_text(double seconds) {
  if (!(seconds >= 0)) return "?";
  const auto whole = static_cast<std::int64_t>(std::round(seconds));
  const std::int64_t hours = whole / 3600, minutes = whole / 60 % 60;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60)
                   : fmt::format("{}:{:02}", minutes, whole % 60);
}

std::string run_title(const RunRequest& request) {
  return fmt::format("{} {} {} seed {}", request.model.text(), request.task->setting(), request.recipe.name,
                     request.seed);
}

std::string short_title(const RunRequest& request) {
  return fmt::format("{} {} {} s{}", request.model.text(), request.task->setting(), request.recipe.name, request.seed);
}

std::string left_text(const TimeLeft& left) {
  const std::string expected = clock_text(left.expected), most = clock_text(left.most);
  return expected == most ? expected + " left" : fmt::format("about {} left, at most {}", expected, most);
}

void explain_progress(CLI::App& command) {
  Commands::explain(command, "lowest 99.87 %", "accuracy of the worst group of answers in the last check");
  Commands::explain(command, "lowest ~42.71 %",
                    "the same of a check that ended early, because the target was out of reach: of fewer episodes");
  Commands::explain(command, "pass 1 of 2, passes 1/2",
                    "checks in a row that met the target; the stage ends with the last");
  Commands::explain(
      command, "slots used 12.0 of 176",
      "memory slots of each layer that a write segment turns by 0.1 radians or more, a mean over episodes");
  Commands::explain(command, "carried 92.1 %",
                    "questions of endless streams, whose states are carried from step to step, that were right");
  Commands::explain(command, "about 3:10 left",
                    "by the steps that such runs take; at most: if every stage goes on to its limit");
}

std::string threads_note(int wanted, int found) {
  return fmt::format(
      "note: the system gives {} of {} threads; the result is the same, later. Ask for fewer with --threads, or raise "
      "the limit (ulimit -u).\n",
      found, wanted);
}

std::string slots_text(const RunProgress& progress) {
  if (!progress.check || progress.check->slots_used.empty()) return {};
  return fmt::format("slots used {:.1f} of {}", fmt::join(progress.check->slots_used, ", "), progress.slots);
}

std::string progress_block(const std::string& title, const RunProgress& p, const std::optional<TimeLeft>& left,
                           const Paint& paint) {
  const double pace = p.steps_per_second;
  std::string text =
      fmt::format("{}  stage {}/{}  {}\n", paint.bold(escaped(title)), p.stage_number, p.stages, paint.cyan(p.stage));
  text +=
      fmt::format("step {}  {:.0f} steps/s  next check in {}  passes {}/{}\n", p.step, pace,
                  clock_text(pace > 0 ? static_cast<double>(p.steps_to_check) / pace : -1), p.passes, p.passes_needed);
  if (left) text += left_text(*left) + "\n";
  text +=
      fmt::format("loss {:.4f}  gradient {:.2f}  rate {:.2e}{}\n", p.loss, p.gradient_norm, p.rate, carried_text(p));
  if (p.check) {
    text += fmt::format("last check: {}, target {:g} %{}\n", escaped(p.check->stage), p.check->threshold,
                        p.check->whole ? "" : " (stopped early: out of reach)");
    for (const ShownScore& score : p.check->scores) {
      const std::string cells = bar(score.percent, kBarWidth);
      text +=
          fmt::format("  {:<28} {} {:6.2f} %\n", escaped(score.name),
                      score.percent >= p.check->threshold ? paint.green(cells) : paint.yellow(cells), score.percent);
    }
  }
  if (const std::string slots = slots_text(p); !slots.empty()) text += wrapped(slots, {.indent = 2});
  if (p.checkpoint > 0) {
    const std::string took = p.checkpoint_seconds ? fmt::format(", {:.0f} ms", 1e3 * *p.checkpoint_seconds) : "";
    text += paint.dim(fmt::format("last checkpoint: step {}{}", p.checkpoint, took)) + "\n";
  }
  return text;
}

std::string check_line(const RunProgress& p, const std::optional<TimeLeft>& left) {
  if (!p.check) return fmt::format("step {:>6}  {}\n", p.step, p.stage);
  const std::string slots = slots_text(p);
  const bool passed = p.check->stage != p.stage;
  return fmt::format(
      "step {:>6}  {:<21} lowest {:>8} of {:g} %  {:<11}  loss {:.4f}  gradient {:.2f}{}  {:.0f} steps/s{}{}\n",
      p.check->step, escaped(p.check->stage), lowest_text(*p.check), p.check->threshold,
      passed ? "passed" : fmt::format("pass {} of {}", p.passes, p.passes_needed), p.loss, p.gradient_norm,
      carried_text(p), p.steps_per_second, slots.empty() ? "" : "  " + slots, left ? "  " + left_text(*left) : "");
}

std::string state_text(RunState state, const Paint& paint) {
  const std::string text = fmt::format("{:<10}", state_name(state));
  switch (state) {
    case RunState::kPassed:
      return paint.green(text);
    case RunState::kRunning:
      return paint.cyan(text);
    case RunState::kFailed:
      return paint.red(text);
    case RunState::kStepLimit:
    case RunState::kStopped:
      return paint.yellow(text);
    case RunState::kWaiting:
      break;
  }
  return paint.dim(text);
}

std::string trouble_line(const RunStatus& status) {
  return status.trouble ? "  damaged: " + escaped(status.trouble->message()) + "\n" : "";
}

std::string run_line(const std::string& title, const RunStatus& status, const Paint& paint) {
  const RunProgress& p = status.progress;
  std::string text = fmt::format("{:<34} {}", escaped(title), state_text(status.state, paint));
  if (status.state == RunState::kFailed) return text + " " + escaped(status.message) + "\n" + trouble_line(status);
  if (status.state == RunState::kWaiting) return text + "\n" + trouble_line(status);
  text += fmt::format(" stage {:>2}/{:<2} {:<21} step {:>7}", p.stage_number, p.stages, p.stage, p.step);
  if (p.check) text += fmt::format("  lowest {:>8}", lowest_text(*p.check));
  if (status.state == RunState::kRunning && p.steps_per_second > 0)
    text += fmt::format("  {:.0f} steps/s", p.steps_per_second);
  return text + "  " + clock_text(status.seconds) + "\n" + trouble_line(status);
}

std::string run_table(const std::vector<ShownRun>& runs, const Paint& paint) {
  std::size_t width = 0;
  for (const ShownRun& run : runs) {
    const std::size_t own = columns(escaped(run.title));
    if (own <= kWidestTitle) width = std::max(width, own);
  }
  const auto row = [&](const std::string& state, const std::string& stage, const std::string& step,
                       const std::string& lowest, const std::string& pace, const std::string& time) {
    return fmt::format("  {} {:>5} {:>7} {:>9} {:>7} {:>9}\n", state, stage, step, lowest, pace, time);
  };
  std::string text =
      paint.dim(std::string(width, ' ') + row(fmt::format("{:<10}", ""), "stage", "step", "lowest", "steps/s", "time"));
  for (const ShownRun& run : runs) {
    const RunProgress& p = run.status.progress;
    const std::string title = escaped(run.title);
    text += columns(title) > width ? title + "\n" + std::string(width, ' ')
                                   : title + std::string(width - columns(title), ' ');
    const std::string state = state_text(run.status.state, paint);
    if (run.status.state == RunState::kWaiting || run.status.state == RunState::kFailed) {
      text += "  " + state + "\n";
    } else {
      const bool running = run.status.state == RunState::kRunning && p.steps_per_second > 0;
      text += row(state, fmt::format("{}/{}", p.stage_number, p.stages), std::to_string(p.step),
                  p.check ? lowest_text(*p.check) : "", running ? fmt::format("{:.0f}", p.steps_per_second) : "",
                  clock_text(run.status.seconds));
    }
    if (run.status.state == RunState::kFailed)
      text += "  " + wrapped(escaped(run.status.message), {.at = 2, .indent = 2});
    text += trouble_line(run.status);
  }
  return text;
}

std::string counts_text(const StateCounts& counts) {
  std::size_t all = 0, ended = 0;
  std::vector<std::string> parts;
  for (const RunState state : kStates) {
    const auto found = counts.find(state);
    if (found == counts.end() || found->second == 0) continue;
    all += found->second;
    if (has_ended(state)) ended += found->second;
    parts.push_back(fmt::format("{} {}", found->second, state_name(state)));
  }
  return fmt::format("{} of {} ended: {}", ended, all, fmt::join(parts, ", "));
}

nlohmann::ordered_json counts_json(const StateCounts& counts) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const RunState state : kStates) {
    const auto found = counts.find(state);
    json[std::string(state_name(state))] = found == counts.end() ? 0 : found->second;
  }
  return json;
}

nlohmann::ordered_json status_json(const RunStatus& status) {
  const RunProgress& p = status.progress;
  nlohmann::ordered_json json{{"state", state_name(status.state)}, {"step", p.step}, {"seconds", status.seconds}};
  if (!status.message.empty()) json["message"] = status.message;
  if (status.trouble) json["damaged"] = status.trouble->message();
  if (status.state == RunState::kWaiting) return json;
  json["stage"] = p.stage;
  json["stage_number"] = p.stage_number;
  json["stages"] = p.stages;
  json["steps_per_second"] = p.steps_per_second;
  json["steps_to_check"] = p.steps_to_check;
  json["loss"] = p.loss;
  json["gradient_norm"] = p.gradient_norm;
  json["rate"] = p.rate;
  json["passes"] = p.passes;
  json["checkpoint"] = p.checkpoint;
  if (!p.check) return json;
  json["check"] = {{"step", p.check->step},           {"stage", p.check->stage}, {"lowest", p.check->lowest},
                   {"threshold", p.check->threshold}, {"whole", p.check->whole}, {"slots_used", p.check->slots_used}};
  nlohmann::ordered_json scores = nlohmann::ordered_json::object();
  for (const ShownScore& score : p.check->scores) scores[score.name] = score.percent;
  json["check"]["percent"] = scores;
  return json;
}

void Canvas::draw(const std::string& text) {
  if (lines_ > 0) out_ << fmt::format("\x1b[{}A", lines_);
  // Without wrapping, a line too long for the terminal still is one line to go back over.
  out_ << "\r\x1b[J\x1b[?7l" << text << "\x1b[?7h" << std::flush;
  lines_ = std::count(text.begin(), text.end(), '\n');
}

}  // namespace schemamem
