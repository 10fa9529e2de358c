#include "kernels/isa.h"

#include <array>
#include <utility>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace schemamem {
namespace {

constexpr std::array<std::pair<Isa, std::string_view>, 5> kNames{{{Isa::kScalar, "scalar"},
                                                                  {Isa::kBaseline, "baseline"},
                                                                  {Isa::kNeon, "neon"},
                                                                  {Isa::kAvx2, "avx2"},
                                                                  {Isa::kAvx512, "avx512"}}};

struct Machine {
  bool avx2 = false, avx512 = false;
};

/// What the processor has and the system saves for each thread. Asked of the processor itself: what compilers answer is
/// a variable of their run-time library, which not every one brings into a shared library.
[[maybe_unused]] Machine look_at_machine() {
  Machine machine;
#if defined(__x86_64__)
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & bit_OSXSAVE) == 0) return machine;
  const bool has_fma = (ecx & bit_FMA) != 0;
  unsigned saved = 0, high = 0;
  asm volatile("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
  constexpr unsigned kHalves = 0x06, kWhole = 0xe6;  // of 256 bits; of 512, with the masks
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return machine;
  constexpr unsigned kAvx2 = bit_AVX2 | bit_BMI2, kAvx512 = bit_AVX512F | bit_AVX512DQ | bit_AVX512VL | bit_AVX512BW;
  machine.avx2 = has_fma && (saved & kHalves) == kHalves && (ebx & kAvx2) == kAvx2;
  machine.avx512 = machine.avx2 && (saved & kWhole) == kWhole && (ebx & kAvx512) == kAvx512;
#endif
  return machine;
}

}  // namespace

std::string_view isa_name(Isa isa) {
  for (const auto& [value, name] : kNames) {
    if (value == isa) return name;
  }
  return "unknown";
}

std::optional<Isa> isa_from_name(std::string_view name) {
  for (const auto& [value, known] : kNames) {
    if (known == name) return value;
  }
  return std::nullopt;
}

std::vector<Isa> available_isas() {
  std::vector<Isa> isas;
#if defined(SCHEMAMEM_HAS_scalar)
  isas.push_back(Isa::kScalar);
#endif
#if defined(SCHEMAMEM_HAS_baseline)
  isas.push_back(Isa::kBaseline);
#endif
#if defined(SCHEMAMEM_HAS_neon)
  isas.push_back(Isa::kNeon);
#endif
#if defined(SCHEMAMEM_HAS_avx2)
  if (look_at_machine().avx2) isas.push_back(Isa::kAvx2);
#endif
#if defined(SCHEMAMEM_HAS_avx512)
  if (look_at_machine().avx512) isas.push_back(Isa::kAvx512);
#endif
  return isas;
}

Isa best_isa() { return available_isas().back(); }

}  // namespace schemamem
