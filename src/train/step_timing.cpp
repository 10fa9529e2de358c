#include "train/step_timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "base/rng.h"
#include "models/registry.h"
#include "stream/stream_reader.h"
#include "system/threads.h"
#include "train/batch_step.h"
#include "train/recipe.h"

namespace schemamem {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMorePeaks = 50;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Questions about random addresses, or random symbols: chunks end only where they are full.
template <class T>
std::vector<T> random_rows(const ModelConfig& config, std::size_t rows) {
  const std::size_t width = config.row_width();
  std::vector<T> x(rows * width);
  Rng rng = Rng::stream(1, Purpose::kBenchmark, 0);
  const std::size_t bits = config.inputs > config.outputs ? config.inputs - config.outputs - 1 : config.inputs - 1;
  for (std::size_t t = 0; t < rows; ++t) {
    if (config.symbols) x[t] = static_cast<T>(rng.below(config.inputs));
    for (std::size_t j = 0; !config.symbols && j < bits; ++j) x[t * width + j] = static_cast<T>(rng.below(2));
  }
  return x;
}

/// A model with weights and a batch of episodes: the trainer's step without its loss and optimiser.
template <class T>
class Step {
 public:
  Step(std::unique_ptr<SequenceModel<T>> model, const StepRequest& request, std::size_t batch, ThreadPool& pool)
      : model_(std::move(model)),
        batch_(batch),
        tokens_(request.tokens),
        width_(model_->config().row_width()),
        outputs_(model_->config().outputs),
        x_(random_rows<T>(model_->config(), batch * request.tokens)),
        d_logits_(request.tokens * outputs_),
        weights_(model_->parameters().size()),
        gradient_(weights_.size()),
        step_(*model_, pool, {request.tokens, model_->chunk_ends({.x = rows(0)}).size()},
              {.most_episodes = batch, .shards = static_cast<std::size_t>(Recipe{}.batch.shards)}) {
    // Weights and upstream gradients are drawn in float, so that a step in double starts from the same numbers.
    std::vector<float> drawn(weights_.size());
    make_model<float>(request.model).value()->initialise("ours", 1, {drawn.data(), {drawn.size()}});
    std::copy(drawn.begin(), drawn.end(), weights_.begin());
    Rng rng = Rng::stream(1, Purpose::kBenchmark, 1);
    for (T& value : d_logits_) value = static_cast<T>(rng.uniform_float() - 0.5F);
    for (std::size_t i = 0; i <= batch; ++i) offsets_.push_back(i * tokens_);
  }

  void run() {
    const StopFlag never{false};
    const View<const T, 2> d_logits(d_logits_.data(), {tokens_, outputs_});
    step_.plan(offsets_);
    step_.fold({weights_.data(), {weights_.size()}});
    step_.run(never, [&](std::size_t i, Workspace<T>& workspace, GradientShard<T>& shard) {
      const View<T, 2> logits(workspace.logits.data(), {tokens_, outputs_});
      model_->forward(step_.folded(), {.x = rows(i)}, *workspace.tape, logits);
      model_->backward(step_.folded(), *workspace.tape, d_logits, shard);
    });
    step_.reduce();
    step_.gradient({gradient_.data(), {gradient_.size()}});
  }
  double flops() const {
    return static_cast<double>(batch_) * model_->training_flops(model_->chunk_ends({.x = rows(0)}));
  }
  const SequenceModel<T>& model() const { return *model_; }
  const std::vector<T>& gradient() const { return gradient_; }
  View<const T, 2> rows(std::size_t i) const { return {x_.data() + i * tokens_ * width_, {tokens_, width_}}; }

 private:
  std::unique_ptr<SequenceModel<T>> model_;
  std::size_t batch_, tokens_, width_, outputs_;
  std::vector<T> x_, d_logits_, weights_, gradient_;
  std::vector<std::size_t> offsets_;
  BatchStep<T> step_;
};

/// The largest |a - b| / |b| in norm over the parameter tensors.
double gradient_error(const Layout& layout, const std::vector<float>& ours, const std::vector<double>& reference) {
  double worst = 0;
  for (const TensorSpec& tensor : layout.tensors()) {
    double difference = 0, norm = 0;
    for (std::size_t i = tensor.offset; i < tensor.offset + tensor.size; ++i) {
      difference += std::pow(static_cast<double>(ours[i]) - reference[i], 2);
      norm += std::pow(reference[i], 2);
    }
    const double error = std::sqrt(difference / (norm + 1e-30));
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

/// GFLOP/s of all threads at once, over `seconds`: cores may share power and pipes.
double peak_of_threads(ThreadPool& pool, Isa isa, double seconds) {
  std::vector<double> peaks(static_cast<std::size_t>(pool.threads()));
  pool.run(peaks.size(), [&](std::size_t i, int) { peaks[i] = sustained_gigaflops(isa, seconds); });
  return std::accumulate(peaks.begin(), peaks.end(), 0.0);
}

/// A stream of random rows.
class TokenStream {
 public:
  TokenStream(const SequenceModel<float>& model, const Folded<float>& folded)
      : width_(model.config().row_width()),
        x_(random_rows<float>(model.config(), kRows)),
        logits_(model.config().outputs),
        reader_(model, folded, MarkRule::kNone) {}
  /// As if no token had been seen.
  void start() {
    reader_.reset();
    at_ = 0;
  }
  void step() {
    reader_.push(View<const float, 2>(x_.data() + at_ * width_, {1, width_}), {logits_.data(), {1, logits_.size()}});
    at_ = (at_ + 1) % kRows;
  }
  /// Tokens a second over the next `tokens`.
  double speed(std::size_t tokens) {
    const auto start = Clock::now();
    for (std::size_t t = 0; t < tokens; ++t) step();
    return static_cast<double>(tokens) / seconds_since(start);
  }

 private:
  static constexpr std::size_t kRows = 256;  // few enough to stay in the cache beside the model
  std::size_t width_;
  std::vector<float> x_, logits_;
  StreamReader<float> reader_;
  std::size_t at_ = 0;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Result<double> check_gradients(const StepRequest& request) {
  const EngineChoice choice{.isa = request.isa, .general = request.general};
  auto model = make_model<float>(request.model, choice);
  if (!model) return model.error();
  auto exact = make_model<double>(request.model, choice);
  if (!exact) return exact.error();
  ThreadPool pool(1);
  Step<float> quick(std::move(model).value(), request, 1, pool);
  Step<double> slow(std::move(exact).value(), request, 1, pool);
  quick.run();
  slow.run();
  const double error = gradient_error(quick.model().parameters(), quick.gradient(), slow.gradient());
  constexpr double kLargestError = 2e-3;  // float, thousands of terms, decays summed backwards
  if (error <= kLargestError) return error;
  return Error(
      ErrorKind::kFailed,
      fmt::format("The gradients in float differ from those in double by {:.2g}, more than {:.0e}: nothing is timed. "
                  "Run `schemamem verify` on the golden vectors.",
                  error, kLargestError));
}

bool is_possible(const StepTiming& timing, Isa isa) {
  return timing.fraction_of_peak <= 1 && is_possible_peak(isa, timing.flops_per_cycle);
}

Result<StepTiming> time_until_possible(Isa isa, const std::function<Result<StepTiming>()>& measure) {
  Result<StepTiming> timed = measure();
  for (int again = 0; timed && !is_possible(*timed, isa) && again < 2; ++again) timed = measure();
  if (!timed || timed->fraction_of_peak <= 1) return timed;
  return Error(ErrorKind::kFailed, fmt::format("A step at {:.2f} times the machine's peak is not possible, and three "
                                               "measurements said so: the machine is disturbed. Try again when it "
                                               "is quieter.",
                                               timed->fraction_of_peak));
}

Result<StepTiming> time_step(const StepRequest& request) {
  const Result<double> error = check_gradients(request);
  if (!error) return error.error();
  auto model = make_model<float>(request.model, {.isa = request.isa, .general = request.general});
  if (!model) return model.error();
  ThreadPool pool(request.threads);
  if (pool.threads() < request.threads) {
    return Error(ErrorKind::kFailed,
                 fmt::format("The system gives {} of {} threads, and a speed with fewer is another speed: nothing is "
                             "timed. Ask for fewer with --threads, or raise the limit (ulimit -u).",
                             pool.threads(), request.threads));
  }
  StepTiming timing;
  timing.gradient_error = *error;
  Step<float> step(std::move(model).value(), request, request.batch, pool);
  timing.flops_per_cycle = measure_peak(request.isa).flops_per_cycle;
  step.run();  // warms up
  double best = 1e9;
  for (int i = 0; i < request.repeats; ++i) {
    const auto start = Clock::now();
    step.run();
    best = std::min(best, seconds_since(start));
    timing.fma_peak_gflops = std::max(timing.fma_peak_gflops, peak_of_threads(pool, request.isa, best));
  }
  // A share above one is a measurement of the neighbours: the peak was taken while they worked, the step while not.
  for (int i = 0; i < kMorePeaks && step.flops() * 1e-9 / best > timing.fma_peak_gflops; ++i)
    timing.fma_peak_gflops = std::max(timing.fma_peak_gflops, peak_of_threads(pool, request.isa, best));
  timing.milliseconds = best * 1e3;
  timing.gigaflop = step.flops() * 1e-9;
  timing.gflops = timing.gigaflop / best;
  timing.fraction_of_peak = timing.gflops / timing.fma_peak_gflops;
  timing.tokens_per_second = static_cast<double>(request.batch * request.tokens) / best;
  return timing;
}

Result<StreamTiming> time_stream(const StepRequest& request, std::size_t tokens) {
  auto made = make_model<float>(request.model, {.isa = request.isa, .general = request.general});
  if (!made) return made.error();
  const SequenceModel<float>& model = *made.value();
  std::vector<float> weights(model.parameters().size());
  model.initialise("ours", 1, {weights.data(), {weights.size()}});
  const auto folded = model.make_folded();
  model.fold({weights.data(), {weights.size()}}, *folded);

  constexpr std::size_t kWindow = 1'000, kPlaces = 40;
  TokenStream stream(model, *folded), fresh(model, *folded);
  const std::size_t stretch = tokens / kPlaces;
  std::vector<double> times, ratios;
  times.reserve(tokens);
  double seconds = 0;
  for (std::size_t t = 0; t < tokens; ++t) {
    const auto start = Clock::now();
    stream.step();
    times.push_back(seconds_since(start));
    seconds += times.back();
    if (stretch >= 10 * kWindow && t % stretch == stretch - 1) {
      fresh.start();
      const double early = fresh.speed(kWindow);
      ratios.push_back(stream.speed(kWindow) / early);
    }
  }
  StreamTiming timing;
  timing.tokens_per_second = static_cast<double>(tokens) / seconds;
  if (!ratios.empty()) timing.late_over_early = median(ratios);
  std::sort(times.begin(), times.end());
  timing.median_microseconds = times[tokens / 2] * 1e6;
  timing.p99_microseconds = times[tokens * 99 / 100] * 1e6;
  return timing;
}

}  // namespace schemamem
