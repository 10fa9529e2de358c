// One training step and one stream of every model, on one core and on all, for every instruction set of this machine,
// beside the FMA peak of the same run. time_step checks the gradients before it times anything.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "check_only.h"
#include "models/registry.h"
#include "train/step_timing.h"

namespace {

using namespace schemamem;

/// Shares of the peak that a training step of SchemaMem is held to.
double target(const std::string& model, Isa isa, int threads) {
  if (model == "schemamem" && isa == Isa::kAvx512) return threads == 1 ? 0.78 : 0.72;
  if (model == "schemamem" && isa == Isa::kAvx2) return threads == 1 ? 0.70 : 0.64;
  return isa == Isa::kAvx512 || isa == Isa::kAvx2 ? 0.50 : 0;
}

ModelSpec published(const std::string& model) { return published_spec(model, 7, 3).value(); }

int time_steps() {
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  fmt::print("training step, 64 episodes of 400 tokens, best of 20\n");
  fmt::print("{:<10} {:<9} {:>7} {:>9} {:>9} {:>9} {:>7} {:>7}\n", "model", "isa", "threads", "ms", "GFLOP/s", "peak",
             "share", "target");
  for (const std::string& model : model_names()) {
    for (const Isa isa : available_isas()) {
      for (int threads = 1; threads <= cores; threads *= 2) {
        const Result<StepTiming> timed = time_step({.model = published(model), .threads = threads, .isa = isa});
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
  fmt::print("\none stream of 1,000,000 tokens, token by token\n{:<10} {:>10} {:>10} {:>12} {:>16}\n", "model",
             "median us", "p99 us", "tokens/s", "late / early");
  for (const std::string& model : model_names()) {
    const Result<StreamTiming> timed = time_stream({.model = published(model)}, 1'000'000);
    if (!timed) {
      fmt::print(stderr, "{}\n", timed.error().message());
      return 1;
    }
    fmt::print("{:<10} {:>10.2f} {:>10.1f} {:>12.0f} {:>16.3f}\n", model, timed->median_microseconds,
               timed->p99_microseconds, timed->tokens_per_second, timed->late_over_early);
  }
  return 0;
}

/// Sizes that no kernel was compiled for, beside the paper's: the general path is held to half the share of the peak.
int time_own_sizes() {
  using Sizes = std::vector<std::pair<std::string, std::size_t>>;
  const std::vector<Sizes> own{{{"width", 40}, {"slots", 200}, {"heads", 5}, {"hidden", 24}},
                               {{"width", 64}, {"slots", 256}, {"heads", 8}, {"hidden", 32}},
                               {{"width", 30}, {"slots", 97}, {"heads", 3}, {"head_dim", 10}, {"hidden", 17}},
                               {{"width", 96}, {"slots", 512}, {"heads", 6}, {"head_dim", 16}, {"hidden", 96}}};
  fmt::print("\nSchemaMem of other sizes, one core: share of the peak\n{:<48} {:>9} {:>7} {:>16}\n", "", "ms", "share",
             "paper's / this");
  const Result<StepTiming> paper = time_step({.model = published("schemamem")});
  for (const Sizes& sizes : own) {
    ModelSpec model = published("schemamem");
    std::string text;
    for (const auto& [name, number] : sizes) {
      model.sizes[name] = number;
      text += fmt::format("{} {}  ", name, number);
    }
    const Result<StepTiming> timed = time_step({.model = model, .batch = 16});
    if (!paper || !timed) {
      fmt::print(stderr, "{}\n", (paper ? timed : paper).error().message());
      return 1;
    }
    fmt::print("{:<48} {:>9.1f} {:>6.1f}% {:>16.2f}\n", text, timed->milliseconds, 100 * timed->fraction_of_peak,
               paper->fraction_of_peak / timed->fraction_of_peak);
  }
  return 0;
}

/// What is asked of every step and stream before it is timed.
int check() {
  for (const std::string& model : model_names()) {
    for (const Isa isa : available_isas()) {
      if (const auto error = check_gradients({.model = published(model), .isa = isa}); !error) {
        fmt::print(stderr, "{}\n", error.error().message());
        return 1;
      }
    }
    if (const auto timed = time_stream({.model = published(model)}, 1000); !timed) {
      fmt::print(stderr, "{}\n", timed.error().message());
      return 1;
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (checks_only(argc, argv)) return check();
  for (const auto part : {time_steps, time_streams, time_own_sizes}) {
    if (const int code = part(); code != 0) return code;
  }
  return 0;
}
