// One training step and one stream of every model, on one core and on all, for every instruction set of this machine,
// beside the FMA peak of the same run. time_step checks the gradients before it times anything.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <thread>

#include "eval/step_timing.h"
#include "models/registry.h"

namespace {

using namespace schemamem;

/// Shares of the peak that a training step of SchemaMem is held to.
double target(const std::string& model, Isa isa, int threads) {
  if (model == "schemamem" && isa == Isa::kAvx512) return threads == 1 ? 0.78 : 0.72;
  if (model == "schemamem" && isa == Isa::kAvx2) return threads == 1 ? 0.70 : 0.64;
  return isa == Isa::kAvx512 || isa == Isa::kAvx2 ? 0.50 : 0;
}

int time_steps() {
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  fmt::print("training step, 64 episodes of 400 tokens, best of 20\n");
  fmt::print("{:<10} {:<9} {:>7} {:>9} {:>9} {:>9} {:>7} {:>7}\n", "model", "isa", "threads", "ms", "GFLOP/s", "peak",
             "share", "target");
  for (const std::string& model : model_names()) {
    for (const Isa isa : available_isas()) {
      for (int threads = 1; threads <= cores; threads *= 2) {
        const Result<StepTiming> timed = time_step({.model = model, .threads = threads, .isa = isa});
        if (!timed) {
          fmt::print(stderr, "{}\n", timed.error().message());
          return 1;
        }
        fmt::print("{:<10} {:<9} {:>7} {:>9.1f} {:>9.1f} {:>9.1f} {:>6.1f}% {:>6.0f}%{}\n", model, isa_name(isa),
                   threads, timed->milliseconds, timed->gflops, timed->fma_peak_gflops, 100 * timed->fraction_of_peak,
                   100 * target(model, isa, threads),
                   is_possible_peak(isa, timed->flops_per_cycle) ? "" : "  disturbed");
      }
    }
  }
  return 0;
}

int time_streams() {
  fmt::print("\none stream, token by token\n{:<10} {:>10} {:>10} {:>22} {:>22} {:>7}\n", "model", "median us", "p99 us",
             "tokens/s, first 1,000", "tokens/s, 1,000,000", "ratio");
  for (const std::string& model : model_names()) {
    const Result<StreamTiming> some = time_stream({.model = model}, 20'000);
    if (!some) {
      fmt::print(stderr, "{}\n", some.error().message());
      return 1;
    }
    double quick = 0;
    for (int i = 0; i < 20; ++i) quick = std::max(quick, time_stream({.model = model}, 1'000)->tokens_per_second);
    const double slow = time_stream({.model = model}, 1'000'000)->tokens_per_second;
    fmt::print("{:<10} {:>10.2f} {:>10.1f} {:>22.0f} {:>22.0f} {:>7.3f}\n", model, some->median_microseconds,
               some->p99_microseconds, quick, slow, slow / quick);
  }
  return 0;
}

}  // namespace

int main() {
  const int steps = time_steps();
  return steps != 0 ? steps : time_streams();
}
