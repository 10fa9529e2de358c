#include "kernels/peak.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include "kernels/dispatch.h"

namespace schemamem {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Dependent additions in a row, written out so that the loop around them costs nothing in a build that unrolls
/// nothing.
template <std::size_t... I>
[[gnu::always_inline]] inline std::uint64_t add_in_a_row(std::uint64_t sum, std::uint64_t term,
                                                         std::index_sequence<I...>) {
  const auto add = [&](std::size_t) __attribute__((always_inline)) {
    sum += term;
    asm volatile("" : "+r"(sum));
  };
  (add(I), ...);
  return sum;
}

/// A chain of dependent additions: one cycle each.
double measure_gigahertz() {
  constexpr std::uint64_t kAdditions = 4'000'000;
  double best = 1e9;
  for (int attempt = 0; attempt < 20; ++attempt) {
    std::uint64_t sum = 1;
    const auto start = Clock::now();
    for (std::uint64_t i = 0; i < kAdditions / 8; ++i) sum = add_in_a_row(sum, i, std::make_index_sequence<8>{});
    best = std::min(best, seconds_since(start));
  }
  return static_cast<double>(kAdditions) / best * 1e-9;
}

/// About a millisecond of multiply-adds; returns the flops done.
double burst(Isa isa) {
  std::array<float, 16> sink{};
  for (std::size_t i = 0; i < sink.size(); ++i) sink[i] = 0.25F + 0.03125F * static_cast<float>(i);
  return dispatch(isa, [&](auto chosen) { return run_fma_chains<chosen.value>(100'000, sink.data()); });
}

}  // namespace

Peak measure_peak(Isa isa) {
  Peak peak;
  for (int attempt = 0; attempt < 40; ++attempt) {
    peak.gigaflops = std::max(peak.gigaflops, sustained_gigaflops(isa, 0));
  }
  peak.gigahertz = measure_gigahertz();
  peak.flops_per_cycle = peak.gigaflops / peak.gigahertz;
  return peak;
}

double sustained_gigaflops(Isa isa, double seconds) {
  double flops = 0, spent = 0;
  const auto start = Clock::now();
  do {
    flops += burst(isa);
    spent = seconds_since(start);
  } while (spent < seconds);
  return flops / spent * 1e-9;
}

bool is_possible_peak(Isa isa, double flops_per_cycle) {
  // Lanes x 2 flops x pipes. Without a fused instruction the multiplication and the addition are two instructions,
  // which can at best be issued together.
  const auto near = [&](double flops) { return std::abs(flops_per_cycle - flops) <= 0.08 * flops; };
  switch (isa) {
    case Isa::kAvx512:
      return near(32) || near(64);
    case Isa::kAvx2:
      return near(16) || near(32);
    case Isa::kNeon:
      return near(8) || near(16) || near(32);
    case Isa::kBaseline:
    case Isa::kScalar:
      return flops_per_cycle > 0 && flops_per_cycle <= 32 * 1.08;
  }
  return false;
}

}  // namespace schemamem
