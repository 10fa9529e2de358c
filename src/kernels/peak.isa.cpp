#include "kernels/peak.h"

#include "kernels/simd.h"

namespace schemamem {

template <>
double run_fma_chains<SCHEMAMEM_ISA::kThisIsa>(std::uint64_t rounds, float* sink) {
  using namespace SCHEMAMEM_ISA;
  constexpr int kChains = 12;  // latency 4 or 5, two pipes: ten would do
  Vec<float> sum[kChains];
  for (int i = 0; i < kChains; ++i) {
    sum[i] = broadcast<float>(sink[i]);
    asm volatile("" : "+m"(sum[i]));  // chains that start alike may be merged; the compiler must not see that they do
  }
  const Vec<float> factor = broadcast<float>(sink[kChains]);
  const Vec<float> term = broadcast<float>(sink[kChains + 1]);
  for (std::uint64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) sum[i] = multiply_add<float>(sum[i], factor, term);
  }
  for (int i = 0; i < kChains; ++i) sink[i] = sum[i][0];
  return 2.0 * kChains * kLanes<float> * static_cast<double>(rounds);
}

}  // namespace schemamem
