#include "eval/step_timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "base/rng.h"
#include "base/threads.h"
#include "models/batch_step.h"
#include "models/registry.h"

namespace schemamem {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Queries of random addresses: chunks end only where they are full.
template <class T>
std::vector<T> random_queries(std::size_t rows, std::size_t inputs, std::size_t outputs) {
  std::vector<T> x(rows * inputs);
  Rng rng = Rng::stream(1, Purpose::kBenchmark, 0);
  const std::size_t address_bits = inputs > outputs ? inputs - outputs - 1 : inputs - 1;
  for (std::size_t t = 0; t < rows; ++t) {
    for (std::size_t j = 0; j < address_bits; ++j) x[t * inputs + j] = static_cast<T>(rng.below(2));
  }
  return x;
}

/// A model with weights and a batch of episodes: the step that is timed.
template <class T>
class Step {
 public:
  Step(std::unique_ptr<SequenceModel<T>> model, const StepRequest& request, std::size_t batch, ThreadPool& pool)
      : model_(std::move(model)),
        batch_(batch),
        tokens_(request.tokens),
        inputs_(model_->config().inputs),
        outputs_(model_->config().outputs),
        x_(random_queries<T>(batch * request.tokens, inputs_, outputs_)),
        logits_(batch * request.tokens * outputs_),
        d_logits_(logits_.size()),
        weights_(model_->parameters().size()),
        gradient_(weights_.size()),
        step_(*model_, pool, {request.tokens, model_->chunk_ends({.x = rows(0)}).size()}) {
    // Weights and upstream gradients are drawn in float, so that a step in double starts from the same numbers.
    std::vector<float> drawn(weights_.size());
    make_model<float>(request.model).value()->initialise("ours", 1, {drawn.data(), {drawn.size()}});
    std::copy(drawn.begin(), drawn.end(), weights_.begin());
    Rng rng = Rng::stream(1, Purpose::kBenchmark, 1);
    for (T& value : d_logits_) value = static_cast<T>(rng.uniform_float() - 0.5F);
  }

  void run() {
    step_.run(
        {weights_.data(), {weights_.size()}}, batch_, [&](std::size_t i) { return Episode<T>{.x = rows(i)}; },
        [&](std::size_t i) { return output(logits_, i); },
        [&](std::size_t i) -> View<const T, 2> { return output(d_logits_, i); },
        {gradient_.data(), {gradient_.size()}});
  }
  double flops() const {
    return static_cast<double>(batch_) * model_->training_flops(model_->chunk_ends({.x = rows(0)}));
  }
  const SequenceModel<T>& model() const { return *model_; }
  const std::vector<T>& gradient() const { return gradient_; }
  const std::vector<T>& weights() const { return weights_; }
  View<const T, 2> rows(std::size_t i) const { return {x_.data() + i * tokens_ * inputs_, {tokens_, inputs_}}; }

 private:
  View<T, 2> output(std::vector<T>& values, std::size_t i) {
    return {values.data() + i * tokens_ * outputs_, {tokens_, outputs_}};
  }

  std::unique_ptr<SequenceModel<T>> model_;
  std::size_t batch_, tokens_, inputs_, outputs_;
  std::vector<T> x_, logits_, d_logits_, weights_, gradient_;
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

/// A stream of random queries.
class TokenStream {
 public:
  TokenStream(const SequenceModel<float>& model, const Folded<float>& folded)
      : model_(model),
        folded_(folded),
        x_(random_queries<float>(kRows, model.config().inputs, model.config().outputs)),
        logits_(model.config().outputs),
        scratch_(model.make_scratch()),
        state_(model.empty_state()) {
    start();
  }
  /// As if no token had been seen.
  void start() {
    state_ = model_.empty_state();
    model_.refresh(folded_, state_, *scratch_);
    at_ = 0;
  }
  void step() {
    const std::size_t inputs = model_.config().inputs;
    model_.advance(folded_, {x_.data() + at_ * inputs, {1, inputs}}, state_, *scratch_,
                   {logits_.data(), {1, logits_.size()}});
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
  const SequenceModel<float>& model_;
  const Folded<float>& folded_;
  std::vector<float> x_, logits_;
  std::unique_ptr<Tape<float>> scratch_;
  StreamState<float> state_;
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

Result<StepTiming> time_step(const StepRequest& request) {
  const Result<double> error = check_gradients(request);
  if (!error) return error.error();
  auto model = make_model<float>(request.model, {.isa = request.isa, .general = request.general});
  if (!model) return model.error();
  ThreadPool pool(request.threads);
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
