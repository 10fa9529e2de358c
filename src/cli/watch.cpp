#include <fmt/format.h>

#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/progress_view.h"
#include "cli/signals.h"
#include "cli/sweep_view.h"
#include "cli/train_commands.h"
#include "record/run_folders.h"
#include "sweep/outlook.h"
#include "system/files.h"
#include "train/run_status.h"

namespace schemamem {
namespace {

constexpr std::chrono::milliseconds kLookEvery{1000}, kNap{50};
/// Above this, runs that wait or have ended are counted and not listed in a block that is drawn again.
constexpr std::size_t kMostListed = 20;

struct WatchOptions {
  std::vector<std::string> runs;
  bool once = false;
};

/// All runs that are watched: those that were named, those of a folder as they are made, and those of a sweep, begun or
/// not.
class Watch {
 public:
  explicit Watch(std::vector<std::string> paths) : paths_(std::move(paths)) {}

  Status look(const StopFlag& stop) {
    counts_.clear();
    for (const std::string& path : paths_) {
      if (!is_absent(std::filesystem::path(path) / kSweepFile)) {
        if (const Status looked = look_at_sweep(path); !looked) return looked;
        continue;
      }
      const auto found = find_runs(path);
      if (!found) return found.error();
      for (const std::filesystem::path& folder : *found) {
        if (stop.load()) return Done{};
        RunFollower& run = runs_.try_emplace(folder.string(), folder).first->second;
        ++counts_[run.look().state];
      }
    }
    return Done{};
  }

  bool all_ended() const {
    for (const auto& [state, count] : counts_) {
      if (count > 0 && !has_ended(state) && state != RunState::kFailed) return false;
    }
    return true;
  }

  /// The first damage that was found in a run's files, if any.
  Status sound() {
    for (const auto& [folder, run] : all())
      if (const auto& trouble = run.status.trouble) return *trouble;
    return Done{};
  }

  std::string json() {
    nlohmann::ordered_json runs = nlohmann::ordered_json::array();
    for (const auto& [folder, run] : all()) {
      nlohmann::ordered_json one{{"run", folder}};
      one.update(status_json(run.status));
      runs.push_back(std::move(one));
    }
    return nlohmann::ordered_json{{"runs", runs}, {"counts", counts_json(counts_)}}.dump(
               -1, ' ', true, nlohmann::json::error_handler_t::replace) +
           "\n";
  }

  /// One run: its block. Several: a line each and a summary; `listed` bounds the lines. A sweep: the whole of it.
  std::string picture(const Paint& paint, std::size_t listed) {
    if (sweeps_.empty() && runs_.size() == 1) return block(runs_.begin()->second, paint);
    std::string text;
    for (const auto& [path, sweep] : sweeps_) {
      if (paths_.size() > 1) text += paint.bold(escaped(path)) + "\n";
      text += sweep_picture(sweep, paint);
    }
    std::vector<ShownRun> shown;
    for (auto& [folder, run] : runs_) {
      const RunStatus& status = run.look();
      const bool quiet = has_ended(status.state) || status.state == RunState::kWaiting;
      if (runs_.size() <= listed || !quiet) shown.push_back({list_title(run), status});
    }
    if (!shown.empty()) text += run_table(shown, paint);
    return text + paint.bold(wrapped(counts_text(counts_)));
  }

  /// A line for every run with a check, or a state, that was not told before.
  std::string changes(const Paint& paint) {
    std::string text;
    for (const auto& [folder, run] : all()) {
      const std::pair now(run.status.state, run.status.progress.check ? run.status.progress.check->step : 0);
      const auto [told, is_first] = told_.try_emplace(folder, now);
      if (!is_first && told->second == now) continue;
      told->second = now;
      text += run_line(run.title, run.status, paint);
    }
    return text;
  }

 private:
  Status look_at_sweep(const std::string& path) {
    auto found = sweeps_.find(path);
    if (found == sweeps_.end()) {
      const auto plan = read_sweep(path);
      if (!plan) return plan.error();
      found = sweeps_.emplace(path, SweepRuns(path, sweep_cells(*plan))).first;
    }
    found->second.look();
    for (const auto& [state, count] : found->second.counts()) counts_[state] += count;
    return Done{};
  }

  /// Every run by its folder.
  std::map<std::string, ShownRun> all() {
    std::map<std::string, ShownRun> runs;
    for (const auto& [path, sweep] : sweeps_) {
      for (std::size_t i = 0; i < sweep.cells().size(); ++i)
        runs.try_emplace(sweep.run(i).string(), ShownRun{run_title(sweep.cells()[i].request), sweep.status(i)});
    }
    for (auto& [folder, run] : runs_) runs.try_emplace(folder, ShownRun{title(run), run.look()});
    return runs;
  }

  std::string block(RunFollower& run, const Paint& paint) {
    const RunStatus& status = run.look();
    std::optional<TimeLeft> left;
    if (run.request() && status.state == RunState::kRunning) left = RunOutlook(*run.request()).left(status.progress);
    return progress_block(title(run), status.progress, left, paint) + state_text(status.state, paint) +
           escaped(status.message) + "\n" + trouble_line(status);
  }

  static std::string title(const RunFollower& run) {
    return run.request() ? run_title(*run.request()) : run.folder().filename().string();
  }
  static std::string list_title(const RunFollower& run) {
    return run.request() ? short_title(*run.request()) : run.folder().filename().string();
  }

  std::vector<std::string> paths_;
  std::map<std::string, SweepRuns> sweeps_;
  std::map<std::string, RunFollower> runs_;
  std::map<std::string, std::pair<RunState, std::int64_t>> told_;
  StateCounts counts_;
};

Status watch(const WatchOptions& options, Console& console) {
  if (options.runs.empty())
    return Error(ErrorKind::kUsage, "`schemamem watch` needs at least one run, sweep or folder of runs.");
  const StopOnSignal signals;
  Watch watch(options.runs);
  Canvas canvas(console.err);
  std::string json;
  for (;;) {
    if (const Status looked = watch.look(signals.flag()); !looked) return looked;
    if (signals.flag().load()) return Done{};
    if (console.json) {
      if (const std::string next = watch.json(); next != json) {
        if (const Status printed = console.print(json = next); !printed) return printed;
        console.out.flush();
      }
    } else if (options.once) {
      if (const Status printed = console.print(watch.picture(console.paint, std::string::npos)); !printed)
        return printed;
    } else if (console.live) {
      canvas.draw(watch.picture(Paint(console.paint_err), kMostListed));
    } else {
      if (const Status printed = console.print(watch.changes(console.paint)); !printed) return printed;
      console.out.flush();
    }
    if (options.once || watch.all_ended()) return watch.sound();
    const auto next = std::chrono::steady_clock::now() + kLookEvery;
    while (std::chrono::steady_clock::now() < next) {
      if (signals.flag().load()) return Done{};
      std::this_thread::sleep_for(kNap);
    }
  }
}

}  // namespace

void register_watch(CLI::App& program, Commands& commands) {
  const auto options = std::make_shared<WatchOptions>();
  CLI::App& command = commands.add(program, "watch", "Follow runs through their files until all have ended.",
                                   "schemamem watch runs/schemamem-A3V3-fast-s42-1a2b3c4d\n"
                                   "schemamem watch sweeps/grid\n"
                                   "schemamem watch runs/a runs/b --once --json");
  command.add_option("RUN", options->runs, "Runs, sweeps, or folders of runs")->type_name("RUN...");
  command.add_flag("--once", options->once, "Show how things stand and exit");
  explain_progress(command);
  commands.on(command, [options](Console& console) { return watch(*options, console); });
}

}  // namespace schemamem
