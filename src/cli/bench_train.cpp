#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "cli/live_view.h"
#include "cli/model_commands.h"
#include "cli/model_options.h"
#include "models/registry.h"
#include "train/checkpoint.h"
#include "train/run.h"
#include "train/step_timing.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct BenchTrainOptions {
  ModelOptions model;
  Text recipe, threads, steps;
};

constexpr std::int64_t kMostThreads = 256;
constexpr std::uint64_t kSeed = 42;
constexpr int kWarmUp = 5;     // steps that are not counted
constexpr int kSnapshots = 5;  // the best counts

/// Where the seconds of a step went. What is neither data nor optimiser nor the model's is the run's own: metrics, live
/// view.
struct Shares {
  std::string stage{};
  double wall = 0;
  StepTimes seconds{};

  double model() const { return seconds.kernels + seconds.folding; }
  double own() const { return wall - model() - seconds.data - seconds.optimizer; }
  /// What is not the model's, as a fraction of what is.
  double overhead() const { return (wall - model()) / model(); }

  void add(const Shares& other) {
    wall += other.wall;
    seconds += other.seconds;
  }
};

struct CheckpointCost {
  double snapshot = 1e9;  // seconds of the training thread
  double whole = 0;       // seconds until it is on the disk
};

/// Watches a real run for some steps, drawing a view that nobody sees, and then stops it.
class Timekeeper final : public RunObserver {
 public:
  Timekeeper(const RunRequest& request, std::int64_t steps, StopFlag& stop, CheckpointCost& cost)
      : steps_(steps + kWarmUp), stop_(stop), cost_(cost), view_(screen_, Paint(true), true, request) {}

  void started(const Trainer& trainer, bool resumed) override {
    view_.started(trainer, resumed);
    stage_ = trainer.curriculum().stage(trainer.position()).name;
    last_ = Clock::now();
  }
  void stepped(const Trainer& trainer, const StepReport& report) override {
    view_.stepped(trainer, report);
    const double wall = seconds_since(last_);
    if (++seen_ > kWarmUp) {
      const StepTimes& step = report.seconds;
      const double own = wall - step.data - step.folding - step.kernels - step.optimizer;
      const std::array parts{step.data, step.folding, step.kernels, step.optimizer, own};
      for (std::size_t i = 0; i < parts.size(); ++i) parts_[i].push_back(parts[i]);
    }
    if (seen_ == steps_) {
      time_snapshot(trainer);
      stop_ = true;
    }
    last_ = Clock::now();
  }
  void saved(std::int64_t /*step*/, double seconds) override { cost_.whole = std::max(cost_.whole, seconds); }

  /// Medians: a step that another process interrupted tells nothing.
  Shares shares() {
    const auto median = [](std::vector<double>& values) {
      const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
      std::nth_element(values.begin(), middle, values.end());
      return *middle;
    };
    auto& [data, folding, kernels, optimizer, own] = parts_;
    Shares shares{.stage = stage_,
                  .seconds = {.data = median(data),
                              .folding = median(folding),
                              .kernels = median(kernels),
                              .optimizer = median(optimizer)}};
    shares.wall = shares.model() + shares.seconds.data + shares.seconds.optimizer + median(own);
    return shares;
  }

 private:
  void time_snapshot(const Trainer& trainer) {
    for (int i = 0; i < kSnapshots; ++i) {
      const auto start = Clock::now();
      const Snapshot snapshot = take_snapshot(trainer, {});
      cost_.snapshot = std::min(cost_.snapshot, seconds_since(start));
    }
  }

  std::int64_t steps_, seen_ = 0;
  StopFlag& stop_;
  CheckpointCost& cost_;
  std::ostringstream screen_;
  LiveView view_;
  std::string stage_;
  std::array<std::vector<double>, 5> parts_;  // data, folding, kernels, optimiser, the run's own
  Clock::time_point last_;
};

/// A folder for the runs that are timed, removed at the end.
class ScratchFolder {
 public:
  static Result<ScratchFolder> make() {
    std::error_code failed;
    std::string pattern = (fs::temp_directory_path(failed) / "schemamem-bench-XXXXXX").string();
    if (failed || ::mkdtemp(pattern.data()) == nullptr)
      return Error(ErrorKind::kCannotCreate,
                   fmt::format("cannot create a folder like {}; set TMPDIR to a writable folder.", pattern));
    return ScratchFolder(pattern);
  }
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  explicit ScratchFolder(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

struct TrainTiming {
  double gradient_error = 0;
  std::vector<Shares> stages;
  Shares all{.stage = "a step of each"};
  CheckpointCost checkpoint;
};

Result<TrainTiming> time_training(const RunRequest& request, int threads, Isa isa, std::int64_t steps) {
  TrainTiming timing;
  const auto spec = model_spec(request);
  if (!spec) return spec.error();
  const auto checked = check_gradients({.model = *spec, .isa = isa});
  if (!checked) return checked.error();
  timing.gradient_error = *checked;
  const auto model = make_model<float>(*spec, {.isa = isa});
  if (!model) return model.error();
  const auto folder = ScratchFolder::make();
  if (!folder) return folder.error();
  const std::vector<Stage> stages = make_curriculum(request);
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    const fs::path run = folder->path() / stages[stage].name;
    if (const Status begun = begin_run_at(stage, **model, request, run); !begun) return begun.error();
    StopFlag stop{false};
    Timekeeper keeper(request, steps, stop, timing.checkpoint);
    const auto result = train_run(**model, request, {.folder = run, .threads = threads, .isa = isa}, stop, keeper);
    if (!result && result.error().kind() != ErrorKind::kInterrupted) return result.error();
    timing.stages.push_back(keeper.shares());
    timing.all.add(timing.stages.back());
  }
  return timing;
}

nlohmann::ordered_json to_json(const Shares& shares) {
  return {{"stage", shares.stage},
          {"seconds", shares.wall},
          {"kernels", shares.seconds.kernels},
          {"folding", shares.seconds.folding},
          {"data", shares.seconds.data},
          {"optimizer", shares.seconds.optimizer},
          {"own", shares.own()},
          {"overhead", shares.overhead()}};
}

std::string row(const Shares& shares) {
  const StepTimes& step = shares.seconds;
  return fmt::format("  {:<21} {:>9.0f} {:>9.0f} {:>9.0f} {:>7.0f} {:>10.0f} {:>6.0f} {:>8.1f} %\n", shares.stage,
                     1e6 * shares.wall, 1e6 * step.kernels, 1e6 * step.folding, 1e6 * step.data, 1e6 * step.optimizer,
                     1e6 * shares.own(), 100 * shares.overhead());
}

Status bench_train(const BenchTrainOptions& given, Console& console) {
  RunRequest request;
  request.seed = kSeed;
  const auto model = given.model.read_model();
  if (!model) return model.error();
  request.model = *model;
  const auto task = given.model.read_task();
  if (!task) return task.error();
  request.task = *task;
  const auto cores = static_cast<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()));
  const auto threads = read_number(given.threads, "--threads", cores, 1, kMostThreads);
  if (!threads) return threads.error();
  const auto steps = read_number(given.steps, "--steps", 100, 1, 10'000);
  if (!steps) return steps.error();
  // Checks are not what is timed here.
  const std::vector<std::string> overrides{fmt::format("validation.every={}", 2 * *steps + kWarmUp),
                                           fmt::format("cooldown.steps={}", 2 * *steps + kWarmUp)};
  auto recipe = resolve_recipe(given.recipe.value_or("fast"), overrides);
  if (!recipe) return recipe.error();
  request.recipe = std::move(recipe).value();

  const auto timed = time_training(request, static_cast<int>(*threads), console.isa, *steps);
  if (!timed) return timed.error();
  const CheckpointCost& cost = timed->checkpoint;
  if (console.json) {
    nlohmann::ordered_json stages = nlohmann::ordered_json::array();
    for (const Shares& shares : timed->stages) stages.push_back(to_json(shares));
    const nlohmann::ordered_json answer{{"model", request.model.text()},
                                        {"setting", request.task->setting()},
                                        {"recipe", request.recipe.name},
                                        {"instruction_set", isa_name(console.isa)},
                                        {"threads", *threads},
                                        {"gradient_error", timed->gradient_error},
                                        {"stages", stages},
                                        {"all", to_json(timed->all)},
                                        {"snapshot_milliseconds", 1e3 * cost.snapshot},
                                        {"checkpoint_milliseconds", 1e3 * cost.whole}};
    return console.print(answer.dump() + "\n");
  }
  std::string text = fmt::format("{} {}, recipe {}, {} steps a stage, {} thread{}, {}\n",
                                 console.paint.bold(request.model.text()), request.task->setting(), request.recipe.name,
                                 *steps, *threads, *threads == 1 ? "" : "s", isa_name(console.isa));
  text += fmt::format("  gradients    float agrees with double to {:.1e}\n\n", timed->gradient_error);
  text += "  microseconds a step       all   kernels   folding    data  optimiser    own   overhead\n";
  for (const Shares& shares : timed->stages) text += row(shares);
  text += row(timed->all);
  text += fmt::format("\n  overhead     {} of the model's own time: data, optimiser, metrics, live view\n",
                      console.paint.bold(fmt::format("{:.1f} %", 100 * timed->all.overhead())));
  text += fmt::format("  checkpoint   {:.1f} ms of the training thread, at most {:.0f} ms until it was on the disk\n",
                      1e3 * cost.snapshot, 1e3 * cost.whole);
  return console.print(text);
}

}  // namespace

void register_bench_train(CLI::App& bench, Commands& commands) {
  const auto options = std::make_shared<BenchTrainOptions>();
  CLI::App& command = commands.add(bench, "train", "Real training, stage by stage: where the time goes.",
                                   "schemamem bench train --model schemamem\n"
                                   "schemamem bench train --model gdn --setting A5V5 --threads 1 --json");
  options->model.add_to(command);
  command.add_option("--recipe", options->recipe, recipe_help())->type_name("NAME");
  command.add_option("--threads", options->threads, "Threads (default: all cores)")->type_name("N");
  command.add_option("--steps", options->steps, "Steps a stage (default 100)")->type_name("N");
  commands.on(command, [options](Console& console) { return bench_train(*options, console); });
}

}  // namespace schemamem
