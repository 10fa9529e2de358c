#pragma once

#include <cstdint>

#include "kernels/isa.h"

namespace schemamem {

/// What a core can do at most, for ratios: every benchmark measures it in its own run.
struct Peak {
  double gigaflops = 0;        // fused multiply-adds, each counted as two
  double gigahertz = 0;        // clock, from a chain of dependent integer additions
  double flops_per_cycle = 0;  // the quotient: a possible number for this instruction set, or the test lies
};

/// Best of several short runs on the calling thread, for float.
Peak measure_peak(Isa isa);

/// GFLOP/s of the calling thread over a stretch of at least `seconds`: what neighbours leave of the peak over the time
/// that something else took.
double sustained_gigaflops(Isa isa, double seconds);

/// Flops a cycle that hardware of this instruction set can reach with one or two FMA pipes of its vector width (or one
/// at double pace): what flops_per_cycle is checked against.
bool is_possible_peak(Isa isa, double flops_per_cycle);

/// `rounds` rounds of independent multiply-adds; returns the flops done. `sink` keeps the result alive.
template <Isa isa>
double run_fma_chains(std::uint64_t rounds, float* sink);

}  // namespace schemamem
